export interface GraphqlResponse {
  readonly status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test names the members it expects
  readonly data: any;
  readonly errors: readonly { message: string; path?: string[]; extensions: Record<string, unknown> }[];
}

export type GraphqlClient = (query: string, variables?: Record<string, unknown>) => Promise<GraphqlResponse>;

/** Posts an operation to `/graphql`; without a key, as anyone. */
export function graphqlClient(url: string, apiKey: string | undefined): GraphqlClient {
  return async (query, variables) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ query, variables }),
    });
    const body = (await response.json()) as Partial<GraphqlResponse>;
    return { status: response.status, data: body.data as unknown, errors: body.errors ?? [] };
  };
}

import type { RunningServer } from './start.js';

/**
 * What a start prints: where everything is; the first start also the API key, the bot API's bearer, and three lines that
 * end in a valid license. Nothing without the role gateway.
 */
export function welcome({
  url,
  botUrl,
  sandboxUrl,
  firstKey,
  firstSecret,
  docs = true,
}: Pick<RunningServer, 'url' | 'botUrl' | 'sandboxUrl' | 'firstKey' | 'firstSecret'> & {
  /** Whether `/docs` is served. */
  readonly docs?: boolean;
}): string {
  if (url === undefined) return sandboxUrl === undefined ? '' : `\nBot sandbox: ${sandboxUrl}\n\n`;
  if (firstKey === undefined) {
    const secret = firstSecret === undefined ? '' : `Bot API bearer: ${firstSecret}\n`;
    const sandbox = sandboxUrl === undefined ? '' : `Bot sandbox: ${sandboxUrl}\n`;
    return `\nReady: REST ${url}, GraphQL ${url}/graphql, bot API ${botUrl ?? ''}\n${secret}${sandbox}\n`;
  }
  const json = `-H 'Content-Type: application/json'`;
  const auth = `-H 'Authorization: Bearer ${firstKey}'`;
  const sandbox = sandboxUrl === undefined ? '' : `\n  Sandbox   ${sandboxUrl}  chat with the bot here`;
  const reference = docs ? `\n  Docs      ${url}/docs  read and try it in a browser` : '';
  const bearer = firstSecret === undefined ? '' : `, with the bearer ${firstSecret}`;
  return `
Ready.

  REST      ${url}
  GraphQL   ${url}/graphql${reference}
  API key   ${firstKey}
  Bot API   ${botUrl ?? ''}${bearer}${sandbox}

The key is shown this once and stored nowhere: keep it. Make a product and a license, and validate it:

curl -s ${url}/products ${auth} ${json} -d '{"name": "My App"}'
curl -s ${url}/licenses ${auth} ${json} -d '{"key": "MY-FIRST-LICENSE", "product": "My App"}'
curl -s ${url}/licenses/validate ${json} -d '{"license_key": "MY-FIRST-LICENSE"}'

`;
}

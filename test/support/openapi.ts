import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenapiDocument } from '../../src/platform/rest/openapi/document.js';
import type { RestResponse } from './rest.js';

// A document is loose, since tests walk through it by the names they expect.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

/** One endpoint of a document. */
export interface DocumentedOperation {
  /** `GET /download/{token}` */
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Loose;
}

/** Holds what is sent and answered against an OpenAPI document, strictly: a member that it doesn't name is wrong. */
export class OpenapiChecker {
  readonly document: Loose;
  readonly operations: readonly DocumentedOperation[];
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });

  constructor(document: OpenapiDocument) {
    this.document = document;
    for (const format of ['int32', 'int64']) this.#ajv.addFormat(format, true);
    this.#ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    this.#ajv.addFormat('uri', { validate: (text: string) => URL.canParse(text) });
    this.#ajv.addSchema({ $id: 'https://api.test/openapi', ...(closed(document) as object) });
    this.operations = Object.entries(this.document.paths as Record<string, Loose>).flatMap(
      ([path, methods]) =>
        Object.entries(methods as Record<string, Loose>).map(([lower, operation]) => {
          const method = lower.toUpperCase();
          return { key: `${method} ${path}`, method, path, operation };
        }),
    );
  }

  /** What is wrong with a value by the schema at a place in the document; empty when nothing is. */
  problems(value: unknown, ...place: (string | number)[]): string[] {
    const pointer = place.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    const $ref = `https://api.test/openapi#/${encodeURI(pointer)}`;
    const validate = this.#ajv.getSchema($ref) ?? this.#ajv.compile({ $ref });
    if (validate(value) === true) return [];
    return (validate.errors ?? []).map(
      (error) => `${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`,
    );
  }

  /** Where a response of an operation is described, wherever a reference leads. Undefined for one that isn't. */
  responseAt({ path, method, operation }: DocumentedOperation, status: number | string) {
    const response = operation.responses[status];
    if (response === undefined) return undefined;
    const name = (response.$ref as string | undefined)?.split('/').at(-1);
    return name === undefined
      ? { response, place: ['paths', path, method.toLowerCase(), 'responses', status] }
      : { response: this.document.components.responses[name], place: ['components', 'responses', name] };
  }

  /** What is wrong with a real answer: its status, type, headers or body; empty when nothing is. */
  answerProblems(operation: DocumentedOperation, { status, headers, text, body }: RestResponse): string[] {
    const found = this.responseAt(operation, status);
    if (!found) return [`${status} is not documented: ${text.slice(0, 300)}`];
    const { response, place } = found;
    const missing = ['x-request-id', 'api-version'].filter((name) => headers[name] === undefined);
    if (missing.length > 0) return [`lacks the headers ${missing.join(', ')}`];
    const type = headers['content-type']?.split(';')[0];
    if (response.content === undefined) return text === '' ? [] : [`has a body: ${text.slice(0, 100)}`];
    if (type === undefined || response.content[type] === undefined)
      return [`${type ?? 'no type'} is not documented: ${text.slice(0, 100)}`];
    const value: unknown = type.endsWith('json') ? body : text;
    return this.problems(value, ...place, 'content', type, 'schema');
  }
}

/** The same document with every object closed that names its members: what it doesn't tell of must not come. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [key, closed(value)] as const);
  const copy: Record<string, unknown> = Object.fromEntries(entries);
  const isObject = copy['type'] === 'object' && typeof copy['properties'] === 'object';
  return isObject && copy['additionalProperties'] === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}

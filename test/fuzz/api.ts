import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ROOT } from '../support/embedded-postgres-kit.js';

/** As much of JSON Schema as our documents use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header' | 'cookie';
  readonly schema: Schema;
}

interface Response {
  readonly content?: Readonly<Record<string, Media>>;
}

/** One operation of an OpenAPI document, with every `$ref` of its own resolved. */
export interface Endpoint {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Undefined: it takes none. */
  readonly body: Media | undefined;
  readonly responses: Readonly<Record<string, Response>>;
  /** Says whether a body fits what is documented of a status and a content type. */
  fits(status: number, type: string): ValidateFunction | undefined;
}

/** The endpoints of a document beneath `schema/`. */
export function endpointsOf(file: string): Endpoint[] {
  const document = JSON.parse(readFileSync(join(ROOT, 'schema', file), 'utf8')) as Node;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema(document, file);
  const resolve = (node: unknown): unknown => {
    const { $ref } = (node ?? {}) as { $ref?: string };
    return $ref === undefined ? node : resolve(at(document, $ref));
  };
  const deep = (node: unknown, depth = 0): unknown => {
    const found = resolve(node);
    // Records that hold their own kind are cut off somewhere; nothing is generated that deep.
    if (depth > 12 || typeof found !== 'object' || found === null) return found;
    if (Array.isArray(found)) return found.map((each) => deep(each, depth + 1));
    return Object.fromEntries(Object.entries(found).map(([name, each]) => [name, deep(each, depth + 1)]));
  };
  const paths = document['paths'] as Record<string, Record<string, Node>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const pointer = `#/paths/${escaped(path)}/${method}`;
      const body = deep(operation['requestBody']) as { content?: Record<string, Media> } | undefined;
      const responses = deep(operation['responses'], 9) as Record<string, Response>;
      return {
        key: `${method.toUpperCase()} ${path}`,
        ...{ method: method.toUpperCase(), path, responses },
        parameters: deep(operation['parameters'] ?? []) as Parameter[],
        body: body?.content?.['application/json'],
        fits: (status: number, type: string) => {
          const responsePointer = refOf(operation, status) ?? `${pointer}/responses/${status}`;
          const media = `${responsePointer}/content/${escaped(type)}/schema`;
          return at(document, media) === undefined ? undefined : ajv.getSchema(file + media);
        },
      };
    }),
  );
}

type Node = Readonly<Record<string, unknown>>;

function refOf(operation: Node, status: number): string | undefined {
  const responses = operation['responses'] as Record<string, { $ref?: string }>;
  return responses[String(status)]?.$ref;
}

/** What a `#/…` pointer leads to, `$ref`s on the way included. */
function at(document: Node, pointer: string): unknown {
  let node: unknown = document;
  for (const part of pointer.slice(2).split('/')) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    node = (node as Record<string, unknown> | undefined)?.[name];
  }
  return node;
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

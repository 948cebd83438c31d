import { failure, invalidFields, pointer, show } from '../errors.js';
import type { FieldProblem } from '../errors.js';
import type { Variables } from '../graphql/explain-variables.js';
import type { CompiledOperation, TextKind } from './operation.js';
import { READ_ONLY_MEMBERS } from './routes.js';
import type { Route } from './routes.js';

/** What variables are made of; an express request is one. */
export interface RequestParts {
  readonly method: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

export interface RequestVariables {
  readonly values: Variables;
  /** The variables that came by path or query: a bad one is a 400, a bad body member a 422. */
  readonly fromText: ReadonlySet<string>;
}

/**
 * A request's variables by name: path, then query, then body. What is absent stays absent and `null` stays `null`,
 * so that PATCH changes what was sent and nothing else. Members that are no variables are refused by name.
 */
export function requestVariables(
  req: RequestParts,
  route: Route,
  operation: CompiledOperation,
): RequestVariables {
  const values = nullPrototype();
  const fromText = new Set<string>();
  for (const [name, text] of textParameters(req)) {
    const kind = operation.variables.get(name);
    if (kind === undefined || name === route.gather) {
      if (route.lenient) continue;
      const allowed =
        [...operation.variables.keys()].filter((known) => known !== route.gather).join(', ') || 'none';
      throw failure('BAD_PARAMETER', `There is no query parameter ${show(name)}; allowed: ${allowed}`);
    }
    values[name] = readText(name, text, kind);
    fromText.add(name);
  }
  // A GET without a body is all query: what it lacks is a missing parameter, a 400 too.
  if (req.method === 'GET' && req.body === undefined) {
    for (const name of operation.variables.keys()) fromText.add(name);
  }
  readBody(req.body, route, operation, values, fromText);
  return { values, fromText };
}

function readBody(
  body: unknown,
  route: Route,
  operation: CompiledOperation,
  values: Record<string, unknown>,
  fromText: ReadonlySet<string>,
): void {
  if (body === undefined) return;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const detail = `The body must be a JSON object; got ${show(body)}`;
    throw invalidFields([{ pointer: '', code: 'INVALID_FIELD', detail }]);
  }
  const unknown: FieldProblem[] = [];
  const gathered = nullPrototype();
  for (const [name, value] of Object.entries(body)) {
    if (operation.variables.has(name) && name !== route.gather) {
      if (!fromText.has(name)) values[name] = value;
    } else if ((READ_ONLY_MEMBERS.has(name) || route.readOnly?.includes(name)) && !route.lenient) {
      continue;
    } else if (route.gather !== undefined) {
      gathered[name] = value;
    } else if (!route.lenient) {
      unknown.push({ pointer: pointer(name), code: 'UNKNOWN_FIELD', detail: `${name} is not a known field` });
    }
  }
  const [first, ...others] = unknown;
  if (first) throw invalidFields([first, ...others]);
  if (route.gather !== undefined) values[route.gather] = gathered;
}

/** Without a prototype, a member named `__proto__` is a member like any other. */
function nullPrototype(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function* textParameters(req: RequestParts): Generator<[string, string]> {
  for (const [name, value] of Object.entries(req.query)) {
    if (typeof value !== 'string')
      throw failure('BAD_PARAMETER', `The query parameter ${show(name)} may stand only once`);
    yield [name, value];
  }
  for (const [name, value] of Object.entries(req.params)) yield [name, String(value)];
}

function readText(name: string, text: string, kind: TextKind): unknown {
  switch (kind) {
    case 'text':
      return text;
    case 'integer':
    case 'number': {
      const isNumber =
        /^-?\d+(\.\d+)?$/.test(text) && (kind === 'number' || Number.isSafeInteger(Number(text)));
      if (isNumber) return Number(text);
      throw badText(name, text, kind === 'integer' ? 'a whole number' : 'a number');
    }
    case 'boolean':
      if (text === 'true' || text === '1') return true;
      if (text === 'false' || text === '0') return false;
      throw badText(name, text, 'true or false');
  }
}

function badText(name: string, text: string, allowed: string) {
  const detail = `${name} must be ${allowed}; got ${show(text)}`;
  return failure('BAD_PARAMETER', detail, {
    problems: [{ pointer: pointer(name), code: 'BAD_PARAMETER', detail }],
  });
}

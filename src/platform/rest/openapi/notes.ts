/** A JSON Schema of the dialect that OpenAPI 3.1 uses (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What an error code means: its status and title, and a detail as a caller could read it. */
export interface CodeNotes {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

/** A success response that the route table can't tell, since a function of the row sends it. */
export interface AnswerNotes {
  readonly description: string;
  /** By media type. */
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema; readonly example: unknown }>>;
}

/** What a row of a route table doesn't tell of itself. */
export interface RouteNotes {
  /** One line, without a full stop. */
  readonly summary: string;
  /** Follows what the schema says of the operation. */
  readonly description?: string;
  /** Codes of its own, beside those that every row of its kind has; `409 CODE` where the code is of another status elsewhere. */
  readonly codes?: readonly string[];
  /** An example of the body. A test sends it, and it must succeed. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Examples of path and query parameters; sent by the same test. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** Members of the body that must be there, although the operation would do without. */
  readonly required?: readonly string[];
  /** What a field allows beyond its type, by REST name. */
  readonly fields?: Readonly<Record<string, JsonSchema>>;
  /** Query parameters that the row's own function reads, and no operation: their schemas. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
  /** Its fields are query parameters, though it is no GET. */
  readonly byQuery?: true;
  /** The body, where it is not the operation's to define. */
  readonly bodySchema?: JsonSchema;
  /** Names of further response headers, among the document's own. */
  readonly headers?: readonly string[];
  /** Members that the answer may lack. */
  readonly optional?: readonly string[];
  /** Success responses by status, made from the schema and the example of the operation's result. */
  readonly answers?: (result: JsonSchema, example: unknown) => Readonly<Record<number, AnswerNotes>>;
  /** Security other than the row's access: a list of requirements. */
  readonly security?: readonly JsonSchema[];
}

/** What a document says beside its routes. */
export interface ApiNotes {
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  /** In the order in which they are shown; a path belongs to the first whose prefix it has. */
  readonly tags: readonly TagNotes[];
  readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
  /** The scheme of rows with access `apiKey`. */
  readonly keyScheme: string;
  /** By `METHOD /path`. */
  readonly routes: Readonly<Record<string, RouteNotes>>;
  /** By code; `…_NOT_FOUND` needs no line. */
  readonly codes: Readonly<Record<string, CodeNotes>>;
  /** An example of each record, by the name of its schema. */
  readonly records: Readonly<Record<string, unknown>>;
  /** Endpoints beside the route tables, such as health: whole operations, by `METHOD /path`. */
  readonly beside?: Readonly<Record<string, JsonSchema>>;
  /** What the server itself sends to others. */
  readonly webhooks?: JsonSchema;
}

export interface TagNotes {
  readonly name: string;
  readonly prefixes: readonly string[];
  readonly description: string;
}

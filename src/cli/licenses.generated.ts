/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
export type CreateLicenseInput = {
  /** Names of existing addons; replaced as a whole. */
  addons?: Array<string> | null | undefined;
  /** Name of an existing customer; null: none. */
  customer?: string | null | undefined;
  /** Null: never. */
  expiresAt?: string | null | undefined;
  /** Generated when absent. */
  key?: string | null | undefined;
  note?: string | null | undefined;
  /** Name of an existing product; null: none. */
  product?: string | null | undefined;
  /** -1 (unlimited) or more than 0. */
  seats?: number | null | undefined;
  status?: LicenseStatus | null | undefined;
  /** Public id of an existing user; null: none. */
  userId?: string | null | undefined;
  /** Map from whitelist name to its values and limit, each optional; replaced as a whole. */
  whitelists?: Record<string, unknown> | null | undefined;
};

/** Either licenses, or a count with a template. */
export type CreateLicensesInput = {
  /** 1–10 000: how many to create after the template. */
  count?: number | null | undefined;
  /** 1–10 000, each as it says. */
  licenses?: Array<CreateLicenseInput> | null | undefined;
  /** What each of them is, without a key; an empty one when absent. */
  template?: CreateLicenseInput | null | undefined;
};

/** Rows whose custom field has this value. */
export type CustomValueFilter = {
  equals: unknown;
  name: string;
};

export type LicenseFilterInput = {
  /** Name of an addon that the license holds. */
  addon?: string | null | undefined;
  /** Name of the customer. */
  customer?: string | null | undefined;
  /** All of these custom values of the customer. */
  customerCustom?: Array<CustomValueFilter> | null | undefined;
  expiresAfter?: string | null | undefined;
  expiresBefore?: string | null | undefined;
  /** This key, however it is typed. */
  key?: string | null | undefined;
  neverExpires?: boolean | null | undefined;
  /** Name of the product. */
  product?: string | null | undefined;
  /** All of these custom values of the product. */
  productCustom?: Array<CustomValueFilter> | null | undefined;
  /** Part of the key or of the user's e-mail, whatever its case. */
  search?: string | null | undefined;
  status?: LicenseStatus | null | undefined;
  /** Public id of the user; a merged one leads to its user. */
  user?: string | null | undefined;
};

/** A license's stored state; expiry and bans are derived when it is validated. */
export type LicenseStatus =
  | 'active'
  | 'revoked'
  | 'suspended';

/** What becomes of a row whose key exists already. */
export type OnExisting =
  /** ALREADY_EXISTS, and nothing is imported. */
  | 'error'
  /** The license stays as it is. */
  | 'skip'
  /** The license is given what the row says; absent columns stay. */
  | 'update';

export type CliCreateLicensesMutationVariables = Exact<{
  input: CreateLicensesInput;
}>;


export type CliCreateLicensesMutation = { created: { count: number, keys: Array<string> } };

export type CliExportLicensesQueryVariables = Exact<{
  after?: string | null | undefined;
  filter: LicenseFilterInput;
}>;


export type CliExportLicensesQuery = { page: { csv: string, count: number, hasNextPage: boolean, endCursor: string | null } };

export type CliCountLicensesQueryVariables = Exact<{
  filter: LicenseFilterInput;
}>;


export type CliCountLicensesQuery = { licenses: { totalCount: number } };

export type CliImportLicensesMutationVariables = Exact<{
  csv: string;
  onExisting: OnExisting;
}>;


export type CliImportLicensesMutation = { imported: { created: number, updated: number, skipped: number } };


export const CliCreateLicensesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CliCreateLicenses"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateLicensesInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"created"},"name":{"kind":"Name","value":"createLicenses"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"keys"}}]}}]}}]} as unknown as DocumentNode<CliCreateLicensesMutation, CliCreateLicensesMutationVariables>;
export const CliExportLicensesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CliExportLicenses"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"LicenseFilterInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"page"},"name":{"kind":"Name","value":"exportLicenses"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"500"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"csv"}},{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]} as unknown as DocumentNode<CliExportLicensesQuery, CliExportLicensesQueryVariables>;
export const CliCountLicensesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CliCountLicenses"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"LicenseFilterInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"licenses"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"1"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}}]}}]} as unknown as DocumentNode<CliCountLicensesQuery, CliCountLicensesQueryVariables>;
export const CliImportLicensesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CliImportLicenses"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"csv"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"onExisting"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"OnExisting"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"imported"},"name":{"kind":"Name","value":"importLicenses"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"csv"},"value":{"kind":"Variable","name":{"kind":"Name","value":"csv"}}},{"kind":"Argument","name":{"kind":"Name","value":"onExisting"},"value":{"kind":"Variable","name":{"kind":"Name","value":"onExisting"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"created"}},{"kind":"Field","name":{"kind":"Name","value":"updated"}},{"kind":"Field","name":{"kind":"Name","value":"skipped"}}]}}]}}]} as unknown as DocumentNode<CliImportLicensesMutation, CliImportLicensesMutationVariables>;
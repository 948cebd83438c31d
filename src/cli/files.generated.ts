/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
export type CreateFileInput = {
  /** Name of an addon that a license needs as well. */
  addon?: string | null | undefined;
  /** The asset's name, or a pattern with *, ? and {a,b}. */
  asset?: string | null | undefined;
  /** Generated when absent. */
  name?: string | null | undefined;
  prerelease?: boolean | null | undefined;
  /** Name of the product whose licenses may have it. */
  product?: string | null | undefined;
  /** `owner/name` */
  repo?: string | null | undefined;
  stamp?: boolean | null | undefined;
};

export type FileFilter = {
  /** For holders of the addon of this name. */
  addon?: string | null | undefined;
  /** Exactly this name. */
  name?: string | null | undefined;
  /** Of the product of this name. */
  product?: string | null | undefined;
  /** `owner/name` */
  repo?: string | null | undefined;
};

export type UpdateFileInput = {
  /** Name of an addon that a license needs as well. */
  addon?: string | null | undefined;
  /** The asset's name, or a pattern with *, ? and {a,b}. */
  asset?: string | null | undefined;
  /** Renames; every reference follows. */
  newName?: string | null | undefined;
  prerelease?: boolean | null | undefined;
  /** Name of the product whose licenses may have it. */
  product?: string | null | undefined;
  /** `owner/name` */
  repo?: string | null | undefined;
  stamp?: boolean | null | undefined;
};

export type CliFileFragment = { name: string, repo: string | null, asset: string | null, prerelease: boolean, stamp: boolean, issuable: boolean, product: string | null, addon: string | null };

export type CliListFilesQueryVariables = Exact<{
  filter?: FileFilter | null | undefined;
  after?: string | null | undefined;
}>;


export type CliListFilesQuery = { files: { nodes: Array<{ name: string, repo: string | null, asset: string | null, prerelease: boolean, stamp: boolean, issuable: boolean, product: string | null, addon: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CliListFileRepositoriesQueryVariables = Exact<{ [key: string]: never; }>;


export type CliListFileRepositoriesQuery = { repositories: Array<string> };

export type CliFileVersionsQueryVariables = Exact<{
  name: string;
  first?: number | null | undefined;
}>;


export type CliFileVersionsQuery = { file: { versions: Array<{ version: string, prerelease: boolean, assets: Array<{ name: string, bytes: number, sha256: string | null, matches: boolean }> }> | null } };

export type CliCreateFileMutationVariables = Exact<{
  input: CreateFileInput;
}>;


export type CliCreateFileMutation = { created: { name: string, repo: string | null, asset: string | null, prerelease: boolean, stamp: boolean, issuable: boolean, product: string | null, addon: string | null } };

export type CliUpdateFileMutationVariables = Exact<{
  name: string;
  input: UpdateFileInput;
}>;


export type CliUpdateFileMutation = { updated: { name: string, repo: string | null, asset: string | null, prerelease: boolean, stamp: boolean, issuable: boolean, product: string | null, addon: string | null } };

export type CliDeleteFileMutationVariables = Exact<{
  name: string;
}>;


export type CliDeleteFileMutation = { deleteFile: { deleted: boolean } };

export const CliFileFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CliFile"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"File"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","alias":{"kind":"Name","value":"product"},"name":{"kind":"Name","value":"productName"}},{"kind":"Field","alias":{"kind":"Name","value":"addon"},"name":{"kind":"Name","value":"addonName"}},{"kind":"Field","name":{"kind":"Name","value":"repo"}},{"kind":"Field","name":{"kind":"Name","value":"asset"}},{"kind":"Field","name":{"kind":"Name","value":"prerelease"}},{"kind":"Field","name":{"kind":"Name","value":"stamp"}},{"kind":"Field","name":{"kind":"Name","value":"issuable"}}]}}]} as unknown as DocumentNode<CliFileFragment, unknown>;
export const CliListFilesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CliListFiles"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"FileFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"files"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"500"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CliFile"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CliFile"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"File"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","alias":{"kind":"Name","value":"product"},"name":{"kind":"Name","value":"productName"}},{"kind":"Field","alias":{"kind":"Name","value":"addon"},"name":{"kind":"Name","value":"addonName"}},{"kind":"Field","name":{"kind":"Name","value":"repo"}},{"kind":"Field","name":{"kind":"Name","value":"asset"}},{"kind":"Field","name":{"kind":"Name","value":"prerelease"}},{"kind":"Field","name":{"kind":"Name","value":"stamp"}},{"kind":"Field","name":{"kind":"Name","value":"issuable"}}]}}]} as unknown as DocumentNode<CliListFilesQuery, CliListFilesQueryVariables>;
export const CliListFileRepositoriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CliListFileRepositories"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"repositories"},"name":{"kind":"Name","value":"fileRepositories"}}]}}]} as unknown as DocumentNode<CliListFileRepositoriesQuery, CliListFileRepositoriesQueryVariables>;
export const CliFileVersionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CliFileVersions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"file"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"versions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"prerelease"}},{"kind":"Field","name":{"kind":"Name","value":"assets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"bytes"}},{"kind":"Field","name":{"kind":"Name","value":"sha256"}},{"kind":"Field","name":{"kind":"Name","value":"matches"}}]}}]}}]}}]}}]} as unknown as DocumentNode<CliFileVersionsQuery, CliFileVersionsQueryVariables>;
export const CliCreateFileDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CliCreateFile"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateFileInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"created"},"name":{"kind":"Name","value":"createFile"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CliFile"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CliFile"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"File"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","alias":{"kind":"Name","value":"product"},"name":{"kind":"Name","value":"productName"}},{"kind":"Field","alias":{"kind":"Name","value":"addon"},"name":{"kind":"Name","value":"addonName"}},{"kind":"Field","name":{"kind":"Name","value":"repo"}},{"kind":"Field","name":{"kind":"Name","value":"asset"}},{"kind":"Field","name":{"kind":"Name","value":"prerelease"}},{"kind":"Field","name":{"kind":"Name","value":"stamp"}},{"kind":"Field","name":{"kind":"Name","value":"issuable"}}]}}]} as unknown as DocumentNode<CliCreateFileMutation, CliCreateFileMutationVariables>;
export const CliUpdateFileDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CliUpdateFile"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateFileInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"updated"},"name":{"kind":"Name","value":"updateFile"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}},{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CliFile"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CliFile"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"File"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","alias":{"kind":"Name","value":"product"},"name":{"kind":"Name","value":"productName"}},{"kind":"Field","alias":{"kind":"Name","value":"addon"},"name":{"kind":"Name","value":"addonName"}},{"kind":"Field","name":{"kind":"Name","value":"repo"}},{"kind":"Field","name":{"kind":"Name","value":"asset"}},{"kind":"Field","name":{"kind":"Name","value":"prerelease"}},{"kind":"Field","name":{"kind":"Name","value":"stamp"}},{"kind":"Field","name":{"kind":"Name","value":"issuable"}}]}}]} as unknown as DocumentNode<CliUpdateFileMutation, CliUpdateFileMutationVariables>;
export const CliDeleteFileDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CliDeleteFile"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteFile"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleted"}}]}}]}}]} as unknown as DocumentNode<CliDeleteFileMutation, CliDeleteFileMutationVariables>;
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
export type CreateMarketplaceMappingInput = {
  /** An addon of the resource; null: the resource itself. */
  addonId?: string | null | undefined;
  /** Names of existing addons: its licenses hold them; of a resource's addon, what it adds. */
  addons?: Array<string> | null | undefined;
  /** 1–36500, from the creation of the license; null: for ever. */
  durationDays?: number | null | undefined;
  /** E.g. builtbybit or polymart; null: any. */
  marketplace?: string | null | undefined;
  /** Name of an existing product. */
  product: string;
  /** 1–36500; 30 when absent. */
  renewalDays?: number | null | undefined;
  resourceId: string;
  /** -1 (unlimited, the default) or more than 0. */
  seats?: number | null | undefined;
};

export type PurchaseFilter = {
  /** Whether something is in its way. */
  hasProblem?: boolean | null | undefined;
  marketplace?: string | null | undefined;
  /** Name of the product. */
  product?: string | null | undefined;
  purchaserId?: string | null | undefined;
  renewal?: boolean | null | undefined;
  resourceId?: string | null | undefined;
  saleId?: string | null | undefined;
  status?: PurchaseStatus | null | undefined;
  /** Public id of the user who claimed it; a merged one leads to its user. */
  user?: string | null | undefined;
};

/** pending: nobody has claimed it. failed: no product is mapped to its resource. refunded, chargeback: taken back, and its license suspended. */
export type PurchaseStatus =
  | 'chargeback'
  | 'claimed'
  | 'failed'
  | 'pending'
  | 'refunded';

/** Without anything given, all that something is in the way of. */
export type ReplayPurchasesInput = {
  /** Only those of this resource. */
  resourceId?: string | null | undefined;
  /** These, whatever their state. */
  saleIds?: Array<string> | null | undefined;
};

export type CliMappingFragment = { id: number, marketplace: string | null, resourceId: string, addonId: string | null, durationDays: number | null, seats: number, renewalDays: number, product: string | null, addons: Array<string> };

export type CliPurchaseFragment = { saleId: string, marketplace: string, resourceId: string | null, addonId: string | null, purchaserId: string | null, username: string | null, licenseKey: string | null, redeem: string | null, userId: string | null, status: PurchaseStatus, problem: string | null, renewal: boolean, price: number | null, currency: string | null, purchaseDate: string | null, createdAt: string, product: string | null };

export type CliListMappingsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type CliListMappingsQuery = { mappings: { nodes: Array<{ id: number, marketplace: string | null, resourceId: string, addonId: string | null, durationDays: number | null, seats: number, renewalDays: number, product: string | null, addons: Array<string> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CliAddMappingMutationVariables = Exact<{
  input: CreateMarketplaceMappingInput;
}>;


export type CliAddMappingMutation = { added: { id: number, marketplace: string | null, resourceId: string, addonId: string | null, durationDays: number | null, seats: number, renewalDays: number, product: string | null, addons: Array<string> } };

export type CliRemoveMappingMutationVariables = Exact<{
  id: number;
}>;


export type CliRemoveMappingMutation = { removed: { deleted: boolean } };

export type CliListPurchasesQueryVariables = Exact<{
  first: number;
  filter: PurchaseFilter;
}>;


export type CliListPurchasesQuery = { purchases: { nodes: Array<{ saleId: string, marketplace: string, resourceId: string | null, addonId: string | null, purchaserId: string | null, username: string | null, licenseKey: string | null, redeem: string | null, userId: string | null, status: PurchaseStatus, problem: string | null, renewal: boolean, price: number | null, currency: string | null, purchaseDate: string | null, createdAt: string, product: string | null }> } };

export type CliReplayPurchasesMutationVariables = Exact<{
  input: ReplayPurchasesInput;
}>;


export type CliReplayPurchasesMutation = { replayed: { queued: number } };

export const CliMappingFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CliMapping"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MarketplaceMapping"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"marketplace"}},{"kind":"Field","name":{"kind":"Name","value":"resourceId"}},{"kind":"Field","name":{"kind":"Name","value":"addonId"}},{"kind":"Field","alias":{"kind":"Name","value":"product"},"name":{"kind":"Name","value":"productName"}},{"kind":"Field","alias":{"kind":"Name","value":"addons"},"name":{"kind":"Name","value":"addonNames"}},{"kind":"Field","name":{"kind":"Name","value":"durationDays"}},{"kind":"Field","name":{"kind":"Name","value":"seats"}},{"kind":"Field","name":{"kind":"Name","value":"renewalDays"}}]}}]} as unknown as DocumentNode<CliMappingFragment, unknown>;
export const CliPurchaseFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CliPurchase"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Purchase"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"saleId"}},{"kind":"Field","name":{"kind":"Name","value":"marketplace"}},{"kind":"Field","name":{"kind":"Name","value":"resourceId"}},{"kind":"Field","name":{"kind":"Name","value":"addonId"}},{"kind":"Field","name":{"kind":"Name","value":"purchaserId"}},{"kind":"Field","name":{"kind":"Name","value":"username"}},{"kind":"Field","alias":{"kind":"Name","value":"product"},"name":{"kind":"Name","value":"productName"}},{"kind":"Field","name":{"kind":"Name","value":"licenseKey"}},{"kind":"Field","name":{"kind":"Name","value":"redeem"}},{"kind":"Field","name":{"kind":"Name","value":"userId"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"renewal"}},{"kind":"Field","name":{"kind":"Name","value":"price"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"purchaseDate"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode<CliPurchaseFragment, unknown>;
export const CliListMappingsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CliListMappings"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"mappings"},"name":{"kind":"Name","value":"marketplaceMappings"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"500"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CliMapping"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CliMapping"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MarketplaceMapping"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"marketplace"}},{"kind":"Field","name":{"kind":"Name","value":"resourceId"}},{"kind":"Field","name":{"kind":"Name","value":"addonId"}},{"kind":"Field","alias":{"kind":"Name","value":"product"},"name":{"kind":"Name","value":"productName"}},{"kind":"Field","alias":{"kind":"Name","value":"addons"},"name":{"kind":"Name","value":"addonNames"}},{"kind":"Field","name":{"kind":"Name","value":"durationDays"}},{"kind":"Field","name":{"kind":"Name","value":"seats"}},{"kind":"Field","name":{"kind":"Name","value":"renewalDays"}}]}}]} as unknown as DocumentNode<CliListMappingsQuery, CliListMappingsQueryVariables>;
export const CliAddMappingDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CliAddMapping"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateMarketplaceMappingInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"added"},"name":{"kind":"Name","value":"createMarketplaceMapping"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CliMapping"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CliMapping"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MarketplaceMapping"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"marketplace"}},{"kind":"Field","name":{"kind":"Name","value":"resourceId"}},{"kind":"Field","name":{"kind":"Name","value":"addonId"}},{"kind":"Field","alias":{"kind":"Name","value":"product"},"name":{"kind":"Name","value":"productName"}},{"kind":"Field","alias":{"kind":"Name","value":"addons"},"name":{"kind":"Name","value":"addonNames"}},{"kind":"Field","name":{"kind":"Name","value":"durationDays"}},{"kind":"Field","name":{"kind":"Name","value":"seats"}},{"kind":"Field","name":{"kind":"Name","value":"renewalDays"}}]}}]} as unknown as DocumentNode<CliAddMappingMutation, CliAddMappingMutationVariables>;
export const CliRemoveMappingDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CliRemoveMapping"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"removed"},"name":{"kind":"Name","value":"deleteMarketplaceMapping"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleted"}}]}}]}}]} as unknown as DocumentNode<CliRemoveMappingMutation, CliRemoveMappingMutationVariables>;
export const CliListPurchasesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CliListPurchases"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseFilter"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"purchases"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"field"},"value":{"kind":"EnumValue","value":"id"}},{"kind":"ObjectField","name":{"kind":"Name","value":"direction"},"value":{"kind":"EnumValue","value":"desc"}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CliPurchase"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CliPurchase"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Purchase"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"saleId"}},{"kind":"Field","name":{"kind":"Name","value":"marketplace"}},{"kind":"Field","name":{"kind":"Name","value":"resourceId"}},{"kind":"Field","name":{"kind":"Name","value":"addonId"}},{"kind":"Field","name":{"kind":"Name","value":"purchaserId"}},{"kind":"Field","name":{"kind":"Name","value":"username"}},{"kind":"Field","alias":{"kind":"Name","value":"product"},"name":{"kind":"Name","value":"productName"}},{"kind":"Field","name":{"kind":"Name","value":"licenseKey"}},{"kind":"Field","name":{"kind":"Name","value":"redeem"}},{"kind":"Field","name":{"kind":"Name","value":"userId"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"renewal"}},{"kind":"Field","name":{"kind":"Name","value":"price"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"purchaseDate"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode<CliListPurchasesQuery, CliListPurchasesQueryVariables>;
export const CliReplayPurchasesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CliReplayPurchases"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ReplayPurchasesInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"replayed"},"name":{"kind":"Name","value":"replayPurchases"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queued"}}]}}]}}]} as unknown as DocumentNode<CliReplayPurchasesMutation, CliReplayPurchasesMutationVariables>;
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
export type ButtonInput = {
  /** Any other's: by it, its clicks are known. */
  id?: string | null | undefined;
  label: string;
  /** Primary, Secondary, Success, Danger or Link, the default. */
  style?: string | null | undefined;
  /** A link's. */
  url?: string | null | undefined;
};

export type EmbedAuthorInput = {
  iconUrl?: string | null | undefined;
  name: string;
  url?: string | null | undefined;
};

export type EmbedFieldInput = {
  /** Beside its neighbours. */
  inline?: boolean | null | undefined;
  name: string;
  value: string;
};

export type EmbedFooterInput = {
  iconUrl?: string | null | undefined;
  text: string;
};

export type EmbedImageInput = {
  url: string;
};

/** At most 6000 characters in all. */
export type EmbedInput = {
  author?: EmbedAuthorInput | null | undefined;
  /** #RRGGBB */
  color?: string | null | undefined;
  description?: string | null | undefined;
  fields?: Array<EmbedFieldInput> | null | undefined;
  footer?: EmbedFooterInput | null | undefined;
  image?: EmbedImageInput | null | undefined;
  thumbnail?: EmbedImageInput | null | undefined;
  timestamp?: string | null | undefined;
  title?: string | null | undefined;
  url?: string | null | undefined;
};

export type ListBotMessageTemplatesQueryVariables = Exact<{ [key: string]: never; }>;


export type ListBotMessageTemplatesQuery = { bot: { messageTemplates: Array<{ id: string, name: string, channel: string | null, content: string | null, embed: Record<string, unknown> | null, buttons: Array<Record<string, unknown>>, createdAt: string, updatedAt: string }> } };

export type WriteBotMessageTemplateMutationVariables = Exact<{
  id?: string | null | undefined;
  name?: string | null | undefined;
  channel?: string | null | undefined;
  content?: string | null | undefined;
  embed?: EmbedInput | null | undefined;
  buttons?: Array<ButtonInput> | ButtonInput | null | undefined;
}>;


export type WriteBotMessageTemplateMutation = { writeBotMessageTemplate: { success: boolean, isNew: boolean, id: string, name: string, channel: string | null, content: string | null, embed: Record<string, unknown> | null, buttons: Array<Record<string, unknown>>, createdAt: string, updatedAt: string } };

export type DeleteBotMessageTemplateMutationVariables = Exact<{
  id: string;
}>;


export type DeleteBotMessageTemplateMutation = { deleteBotMessageTemplate: { success: boolean } };


export const ListBotMessageTemplatesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ListBotMessageTemplates"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"bot"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageTemplates"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"content"}},{"kind":"Field","name":{"kind":"Name","value":"embed"}},{"kind":"Field","name":{"kind":"Name","value":"buttons"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]}}]}}]} as unknown as DocumentNode<ListBotMessageTemplatesQuery, ListBotMessageTemplatesQueryVariables>;
export const WriteBotMessageTemplateDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"WriteBotMessageTemplate"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"name"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Name"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"channel"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"content"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"embed"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"EmbedInput"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"buttons"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ButtonInput"}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"writeBotMessageTemplate"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"name"},"value":{"kind":"Variable","name":{"kind":"Name","value":"name"}}},{"kind":"Argument","name":{"kind":"Name","value":"channel"},"value":{"kind":"Variable","name":{"kind":"Name","value":"channel"}}},{"kind":"Argument","name":{"kind":"Name","value":"content"},"value":{"kind":"Variable","name":{"kind":"Name","value":"content"}}},{"kind":"Argument","name":{"kind":"Name","value":"embed"},"value":{"kind":"Variable","name":{"kind":"Name","value":"embed"}}},{"kind":"Argument","name":{"kind":"Name","value":"buttons"},"value":{"kind":"Variable","name":{"kind":"Name","value":"buttons"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"success"}},{"kind":"Field","name":{"kind":"Name","value":"isNew"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"content"}},{"kind":"Field","name":{"kind":"Name","value":"embed"}},{"kind":"Field","name":{"kind":"Name","value":"buttons"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]}}]} as unknown as DocumentNode<WriteBotMessageTemplateMutation, WriteBotMessageTemplateMutationVariables>;
export const DeleteBotMessageTemplateDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteBotMessageTemplate"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteBotMessageTemplate"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"success"}}]}}]}}]} as unknown as DocumentNode<DeleteBotMessageTemplateMutation, DeleteBotMessageTemplateMutationVariables>;
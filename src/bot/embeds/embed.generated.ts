/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** Who may be pinged. */
export type AllowedMentionsInput = {
  /** Any of users, roles, everyone. */
  parse?: Array<string> | null | undefined;
  roles?: Array<string> | null | undefined;
  users?: Array<string> | null | undefined;
};

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

export type SendBotMessageMutationVariables = Exact<{
  channel: string;
  template?: string | null | undefined;
  content?: string | null | undefined;
  embed?: EmbedInput | null | undefined;
  buttons?: Array<ButtonInput> | ButtonInput | null | undefined;
  allowedMentions?: AllowedMentionsInput | null | undefined;
}>;


export type SendBotMessageMutation = { sendBotMessage: { success: boolean, messageId: string, channel: string, url: string } };


export const SendBotMessageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SendBotMessage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"channel"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"template"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"content"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"embed"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"EmbedInput"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"buttons"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ButtonInput"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"allowedMentions"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"AllowedMentionsInput"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sendBotMessage"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"channel"},"value":{"kind":"Variable","name":{"kind":"Name","value":"channel"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"template"},"value":{"kind":"Variable","name":{"kind":"Name","value":"template"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"content"},"value":{"kind":"Variable","name":{"kind":"Name","value":"content"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"embed"},"value":{"kind":"Variable","name":{"kind":"Name","value":"embed"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"buttons"},"value":{"kind":"Variable","name":{"kind":"Name","value":"buttons"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"allowedMentions"},"value":{"kind":"Variable","name":{"kind":"Name","value":"allowedMentions"}}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"success"}},{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<SendBotMessageMutation, SendBotMessageMutationVariables>;
import { Argument, InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { answer } from './answer.js';
import { ask } from './ask.js';
import { CliDefineFieldDocument, CliDeleteFieldDocument, CliListFieldsDocument } from './fields.generated.js';
import type { CliFieldFragment, CustomFieldType, RecordKind } from './fields.generated.js';
import { table } from './table.js';

interface DefineOptions {
  readonly type: CustomFieldType;
  readonly option?: string[];
  readonly required?: true;
  readonly default?: unknown;
}

/** As objects, so that one that the schema gains and this list lacks does not compile. */
const RECORDS = { product: true, customer: true, addon: true } satisfies Record<RecordKind, true>;
const TYPES = {
  ...{ string: true, number: true, boolean: true, date: true },
  ...{ url: true, email: true, enum: true, json: true },
} satisfies Record<CustomFieldType, true>;

/** `fields define | list | delete`. */
export function addFieldsCommands(program: Command): void {
  const fields = program
    .command('fields')
    .description('Custom fields of products, customers and addons: define, list, delete');
  const record = () => new Argument('<record>', 'the kind of record').choices(Object.keys(RECORDS));
  fields
    .command('define')
    .description('Add a custom field to a kind of record')
    .addArgument(record())
    .argument('<name>', 'small letters, digits and _, at most 40; a letter first')
    .addOption(
      new Option('--type <type>', 'what its values are').choices(Object.keys(TYPES)).makeOptionMandatory(),
    )
    .option('--option <value>', 'a value that an enum allows; repeatable', gather)
    .option('--required', 'records need a value from now on')
    .option('--default <json>', `what a new record gets, as JSON: 3, true, '"a text"'`, json)
    .action(define);
  fields
    .command('list')
    .description('The custom fields of a kind of record')
    .addArgument(record())
    .action(list);
  fields
    .command('delete')
    .description('Remove a custom field; stored values stay, unseen, until it is defined again')
    .addArgument(record())
    .argument('<name>')
    .action(remove);
}

function gather(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError(`This is not JSON; a text needs its quotes: '${JSON.stringify(text)}'.`);
  }
}

async function define(
  record: RecordKind,
  name: string,
  options: DefineOptions,
  command: Command,
): Promise<void> {
  const { type, option, required, default: defaultValue } = options;
  const input = { record, name, type, options: option ?? null, required: required ?? false, defaultValue };
  const { defined } = await ask(command, CliDefineFieldDocument, { input });
  answer(command, { json: defined, text: tableOf([defined]) });
}

async function list(record: RecordKind, _options: unknown, command: Command): Promise<void> {
  const { fields } = await ask(command, CliListFieldsDocument, { record });
  answer(command, { json: fields, text: tableOf(fields) });
}

async function remove(record: RecordKind, name: string, _options: unknown, command: Command): Promise<void> {
  const { deleteCustomField } = await ask(command, CliDeleteFieldDocument, { record, name });
  answer(command, { json: deleteCustomField, text: `${record}.${name} is deleted.` });
}

function tableOf(fields: readonly CliFieldFragment[]): string {
  const rows = fields.map((field) => [
    ...[`${field.record}.${field.name}`, field.type, field.required ? 'yes' : 'no'],
    ...[
      field.defaultValue === null ? '–' : JSON.stringify(field.defaultValue),
      field.options?.join(' ') ?? '–',
    ],
  ]);
  return table(['FIELD', 'TYPE', 'REQUIRED', 'DEFAULT', 'OPTIONS'], rows);
}

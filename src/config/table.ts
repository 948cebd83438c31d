import { DEFAULT_FILE } from './file.js';
import { environmentName, OPTION_ROWS } from './options.js';

/** The options as README.md shows them. Laid out as prettier would, so that the two never fight over the file. */
export function configTableMarkdown(): string {
  const rows = [
    ['Key', 'Environment', 'Default', 'Meaning'],
    ...OPTION_ROWS.map(([key, option]) => [
      code(key),
      code(environmentName(key)),
      option.defaultNote ?? (option.default === '' ? 'none' : code(option.default ?? '')),
      option.meaning,
    ]),
    [
      '–',
      code('CONFIG_FILE'),
      code(DEFAULT_FILE),
      'Path of the YAML file, relative to the working directory.',
    ],
  ].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));

  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

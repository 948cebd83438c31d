/** `1 job`, `2 jobs`; or with a plural of its own, `1 entry`, `2 entries`. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

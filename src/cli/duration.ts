const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** Milliseconds as a table shows them: `3 ms`, `1.2 s`, `17 min`. */
export function duration(ms: number): string {
  const [size, unit] = UNITS.find(([each]) => ms >= each) ?? [1, 'ms'];
  const amount = ms / size;
  return `${amount < 10 ? amount.toFixed(1).replace(/\.0$/, '') : Math.round(amount)} ${unit}`;
}

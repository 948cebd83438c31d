import type { LoadResult } from './load.js';
import type { Finding } from './report.js';

export interface Pair<Measured> {
  readonly limit: Measured;
  readonly product: Measured;
}

type Measure<Measured> = () => Promise<Measured>;

/** Has limit and product take turns, so that what the machine does beside hits both; gives the pair with the median ratio. */
export async function takeTurns<Measured>(
  rounds: number,
  limit: Measure<Measured>,
  product: Measure<Measured>,
  rateOf: (measured: Measured) => number,
): Promise<Pair<Measured> & { readonly ratio: number }> {
  const pairs = [];
  for (let round = 0; round < rounds; round++) {
    const pair = { limit: await limit(), product: await product() };
    pairs.push({ ...pair, ratio: rateOf(pair.product) / rateOf(pair.limit) });
  }
  const middle = pairs.sort((a, b) => a.ratio - b.ratio)[Math.floor(pairs.length / 2)];
  if (middle === undefined) throw new Error('Nothing was measured');
  return middle;
}

export function rate({ rate }: LoadResult): number {
  return rate;
}

export function ratio(value: number, to: string, goal: string): NonNullable<Finding['ratio']> {
  return { value, to, goal };
}

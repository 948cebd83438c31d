/** The candidate that was probably meant, or `undefined` where none is near enough to be worth saying. */
export function nearest(given: string, candidates: readonly string[]): string | undefined {
  const wanted = normalise(given);
  const scored = candidates.map((candidate) => ({
    candidate,
    distance: distance(wanted, normalise(candidate)),
  }));
  const best = scored.reduce<(typeof scored)[number] | undefined>(
    (near, next) => (near === undefined || next.distance < near.distance ? next : near),
    undefined,
  );
  if (best !== undefined && best.distance <= Math.max(2, Math.floor(wanted.length / 4)))
    return best.candidate;
  // The right name in the wrong place: PORT at the top, instead of within SERVER.
  return candidates.find((candidate) => normalise(candidate).endsWith(`.${wanted}`));
}

/** Case aside, and `SERVER_PORT` is `SERVER.PORT` to whoever copies a name from the environment. */
function normalise(key: string): string {
  return key.toUpperCase().replaceAll('_', '.');
}

/** How many letters must be added, dropped or changed to get from one to the other (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [down, letter] of Array.from(from).entries()) {
    const next = [down + 1];
    for (const [across, other] of Array.from(to).entries()) {
      const changed = (row[across] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[across + 1] ?? 0) + 1, (next[across] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

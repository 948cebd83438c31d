const DAY_MS = 86_400_000;
const DAYS_MAX = 1_000;

const padded = (length: number, count: number) =>
  Array.from({ length: count }, (_, number) => String(number).padStart(length, '0'));
const TWO = padded(2, 60);
const THREE = padded(3, 1_000);

/** `2026-01-15T`, by days since 1970. Forgotten as a whole when it is full. */
const days = new Map<number, string>();

/** The same as `toISOString`, in less than half the time: a list has thousands of dates, and few days. */
export function isoText(date: Date): string {
  const time = date.getTime();
  const day = Math.floor(time / DAY_MS);
  const known = days.get(day);
  if (known === undefined) return remembered(day, date.toISOString());
  const millis = time - day * DAY_MS;
  const seconds = Math.floor(millis / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${known}${TWO[hours]}:${TWO[minutes - hours * 60]}:${TWO[seconds - minutes * 60]}.${THREE[millis - seconds * 1_000]}Z`;
}

function remembered(day: number, text: string): string {
  if (days.size === DAYS_MAX) days.clear();
  days.set(day, text.slice(0, text.indexOf('T') + 1));
  return text;
}

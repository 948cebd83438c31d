const EVENT_ID = /^evt_([0-9a-f]{12})[0-9a-f]{20}$/;

/** When an event was, by its id, to the millisecond; undefined for what is no id of ours. */
export function eventTime(id: string): Date | undefined {
  const [, millis] = EVENT_ID.exec(id) ?? [];
  return millis === undefined ? undefined : new Date(Number.parseInt(millis, 16));
}

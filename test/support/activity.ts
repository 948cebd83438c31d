import type { TestApp } from './app.js';
import type { RestResponse } from './rest.js';

/** A row of the activity log, as it is stored. */
export interface ActivityEntry {
  readonly event: string;
  readonly actor: string;
  readonly source: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly changes: Record<string, [before: unknown, after: unknown]> | null;
  readonly request_id: string | null;
}

const COLUMNS = 'event, actor, source, resource_type, resource_id, changes, request_id';

/** What a request left in the activity log, oldest first. */
export function activityOf(app: TestApp, response: RestResponse): Promise<ActivityEntry[]> {
  return app.sql(`select ${COLUMNS} from activity where request_id = $1 order by id`, [
    response.headers['x-request-id'],
  ]);
}

/** Every entry of an event, oldest first. */
export function activityNamed(app: TestApp, event: string): Promise<ActivityEntry[]> {
  return app.sql(`select ${COLUMNS} from activity where event = $1 order by id`, [event]);
}

/** The whole log as one text, to look for what must not be in it. */
export async function activityText(app: TestApp): Promise<string> {
  return JSON.stringify(await app.sql('select * from activity order by id'));
}

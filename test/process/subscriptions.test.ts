import { describe, expect, it } from '@jest/globals';
import { createDatabase, query } from '../support/database.js';
import { until } from '../support/embedded-postgres-kit.js';
import { startProgram } from '../support/process.js';
import { byEventStream, byWebsocket, closeOf, openSocket } from '../support/subscriptions.js';

const API_KEY = 'a_configured_key_of_at_least_32_characters';
const QUERY = 'subscription { sessionChanged { change } }';

describe('SIGTERM with subscriptions open', () => {
  it('ends them at once, also where nobody says goodbye, and the process with exit 0', async () => {
    const databaseUrl = await createDatabase();
    const program = startProgram({ DATABASE_URL: databaseUrl, API_KEY });
    const url = await program.ready();
    const stream = byEventStream({ url }, API_KEY, { query: QUERY });
    const socket = byWebsocket({ url }, API_KEY, { query: QUERY });
    const idle = await openSocket({ url });
    // A client whose machine is gone: it will answer nothing.
    const gone = await openSocket({ url });
    gone.pause();
    const listens = "select 1 from live_topic where topic = 'session'";
    await until(async () => (await query(databaseUrl, listens)).length > 0);

    program.child.kill('SIGTERM');
    expect((await closeOf(idle))[0]).toBe(1001);
    expect(await socket.ended).toMatchObject({ code: 1001 });
    // Not complete: the client is to come back.
    expect(await stream.ended).toBeDefined();
    // The drain would wait 30 s for them, and this test does not.
    expect(await program.exit()).toBe(0);
  });
});

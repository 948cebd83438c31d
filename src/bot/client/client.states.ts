export type ClientState = 'stopped' | 'starting' | 'running' | 'reconnecting' | 'stopping' | 'failed';
export type ClientMove = 'start' | 'ready' | 'dropped' | 'resumed' | 'refused' | 'stop' | 'ended';

/**
 * The bot's client is always in one of these. What isn't in the table doesn't apply, and changes nothing.
 *
 *   stopped, failed                ──start──►   starting       by an operator, at the process' start, or a new attempt
 *   starting                       ──ready──►   running        the platform has sent its servers
 *   starting                       ──refused──► failed         login refused, close 4004 or 4010–4014, 20 s without answer
 *   running                        ──dropped──► reconnecting   a shard lost its connection
 *   reconnecting                   ──resumed──► running        every shard is back, or a new client is
 *   running, reconnecting          ──refused──► failed         a close that can't be recovered, or 401
 *   starting, running, reconnecting ──stop──►   stopping       at once, whatever is under way
 *   stopping                       ──ended──►   stopped        within 5 s, always
 */
export const CLIENT_STATES = {
  stopped: { start: 'starting' },
  failed: { start: 'starting' },
  starting: { ready: 'running', refused: 'failed', stop: 'stopping' },
  running: { dropped: 'reconnecting', refused: 'failed', stop: 'stopping' },
  reconnecting: { resumed: 'running', refused: 'failed', stop: 'stopping' },
  stopping: { ended: 'stopped' },
} as const satisfies Record<ClientState, Partial<Record<ClientMove, ClientState>>>;

/** The state that follows; undefined when the move doesn't apply. */
export function stateAfter(state: ClientState, move: ClientMove): ClientState | undefined {
  const moves: Partial<Record<ClientMove, ClientState>> = CLIENT_STATES[state];
  return moves[move];
}

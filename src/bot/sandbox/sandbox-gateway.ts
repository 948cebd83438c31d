import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { RawData, WebSocket } from 'ws';
import type { Faults } from './faults.js';
import type { Json } from './form.rules.js';
import type { World } from './world.js';

interface Session {
  readonly id: string;
  seq: number;
  /** Dispatches that may have to be sent again after a RESUME. */
  readonly sent: string[];
  socket: WebSocket | undefined;
}

interface Frame {
  readonly op: number;
  readonly d?: unknown;
}

const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presence: 3,
  resume: 6,
  reconnect: 7,
  requestMembers: 8,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const;

const CLOSE = {
  unknownOpcode: 4001,
  decodeError: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
} as const;
const REPLAYED_MAX = 1000;
const STATUSES = new Set(['online', 'idle', 'dnd', 'invisible', 'offline']);

/** The gateway, version 10: HELLO, IDENTIFY, READY, GUILD_CREATE, heartbeats, presence, RESUME and INVALID_SESSION. */
export class SandboxGateway {
  /** What every IDENTIFY has sent, oldest first. */
  readonly identifies: Json[] = [];
  /** What was resumed, oldest first: the ids of sessions. */
  readonly resumes: string[] = [];
  /** Every presence that arrived, in IDENTIFY or on its own, oldest first. */
  readonly presences: Json[] = [];
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();

  constructor(
    private readonly world: World,
    private readonly faults: Faults,
    private readonly options: { readonly heartbeatMs: number; readonly url: () => string },
  ) {}

  /** Whether the bot has a session, and is there to hear what happens in it. */
  get hears(): boolean {
    return [...this.#sessions.values()].some(({ socket }) => socket !== undefined);
  }

  /** How many clients are connected now. */
  get connections(): number {
    return this.#server.clients.size;
  }

  accept(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.faults.gateway === 'refuse') {
      socket.destroy();
      return;
    }
    this.#server.handleUpgrade(req, socket, head, (ws) => {
      ws.on('error', () => {
        ws.terminate();
      });
      if (this.faults.gateway === 'silent') return;
      ws.on('message', (data) => {
        this.#receive(ws, data);
      });
      send(ws, { op: OP.hello, d: { heartbeat_interval: this.options.heartbeatMs } });
    });
  }

  /** Sends an event to every session; who isn't connected gets it when it resumes. */
  dispatch(t: string, d: unknown): void {
    for (const session of this.#sessions.values()) dispatchTo(session, t, d);
  }

  /** Cuts every connection, as a network does that goes away. */
  drop(): void {
    for (const ws of this.#server.clients) ws.terminate();
  }

  /** Closes every connection with a code. */
  close(code: number): void {
    for (const ws of this.#server.clients) ws.close(code);
  }

  /** Reads nothing any more from those who are connected, not even that they close. */
  deafen(): void {
    for (const ws of this.#server.clients) ws.pause();
  }

  /** Sends text as it is, to see what a client makes of odd packets. */
  sendRaw(text: string): void {
    for (const ws of this.#server.clients) ws.send(text);
  }

  async stop(): Promise<void> {
    this.drop();
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
  }

  #receive(ws: WebSocket, data: RawData): void {
    let frame: Frame;
    try {
      frame = JSON.parse((data as Buffer).toString()) as Frame;
    } catch {
      ws.close(CLOSE.decodeError);
      return;
    }
    const d = frame.d as Json;
    switch (frame.op) {
      case OP.heartbeat:
        if (!this.faults.ignoresHeartbeats) send(ws, { op: OP.heartbeatAck });
        return;
      case OP.identify:
        this.#identify(ws, d);
        return;
      case OP.resume:
        this.#resume(ws, d);
        return;
      case OP.presence:
        if (!this.#sessionOf(ws)) ws.close(CLOSE.notAuthenticated);
        else if (!isPresence(d)) ws.close(CLOSE.decodeError);
        else this.#note(d);
        return;
      case OP.requestMembers:
        this.#sendMembers(ws, d);
        return;
      default:
        ws.close(CLOSE.unknownOpcode);
    }
  }

  #identify(ws: WebSocket, d: Json): void {
    this.identifies.push(d);
    if (this.faults.closeOnIdentify !== undefined) {
      ws.close(this.faults.closeOnIdentify);
      return;
    }
    if (d['token'] !== this.world.token) {
      ws.close(CLOSE.authenticationFailed);
      return;
    }
    if (d['presence'] != null) {
      if (!isPresence(d['presence'])) {
        ws.close(CLOSE.decodeError);
        return;
      }
      this.#note(d['presence']);
    }
    const session: Session = { id: randomUUID(), seq: 0, sent: [], socket: ws };
    this.#begin(session, ws);
    const { bot, application, guild } = this.world;
    dispatchTo(session, 'READY', {
      ...{ v: 10, user: bot, application, session_id: session.id, resume_gateway_url: this.options.url() },
      guilds: [{ id: guild.id, unavailable: true }],
    });
    dispatchTo(session, 'GUILD_CREATE', this.world.guildPayload());
  }

  #resume(ws: WebSocket, d: Json): void {
    const session = this.#sessions.get(String(d['session_id']));
    if (!session || d['token'] !== this.world.token || this.faults.forgetsSessions) {
      send(ws, { op: OP.invalidSession, d: false });
      return;
    }
    this.resumes.push(session.id);
    this.#begin(session, ws);
    for (const text of session.sent.slice(
      Math.max(0, session.sent.length - (session.seq - Number(d['seq']))),
    )) {
      ws.send(text);
    }
    dispatchTo(session, 'RESUMED', {});
  }

  #begin(session: Session, ws: WebSocket): void {
    session.socket = ws;
    this.#sessions.set(session.id, session);
    this.world.changed();
    ws.on('close', (code) => {
      if (session.socket === ws) session.socket = undefined;
      this.world.changed();
      // Whoever says goodbye in an orderly manner doesn't come back for this session.
      if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
    });
  }

  #note(presence: Json): void {
    this.presences.push(presence);
    this.world.changed();
  }

  #sendMembers(ws: WebSocket, d: Json): void {
    const session = this.#sessionOf(ws);
    if (!session) return;
    const members = [...this.world.members.values()].map((member) => this.world.memberPayload(member));
    const { id } = this.world.guild;
    dispatchTo(session, 'GUILD_MEMBERS_CHUNK', {
      ...{ guild_id: id, members, chunk_index: 0, chunk_count: 1, not_found: [], nonce: d['nonce'] },
    });
  }

  #sessionOf(ws: WebSocket): Session | undefined {
    return [...this.#sessions.values()].find(({ socket }) => socket === ws);
  }
}

function dispatchTo(session: Session, t: string, d: unknown): void {
  session.seq += 1;
  const text = JSON.stringify({ op: OP.dispatch, t, s: session.seq, d });
  session.sent.push(text);
  if (session.sent.length > REPLAYED_MAX) session.sent.shift();
  session.socket?.send(text);
}

function isPresence(value: unknown): value is Json {
  if (typeof value !== 'object' || value === null) return false;
  const { status, activities } = value as { status?: unknown; activities?: unknown };
  return STATUSES.has(String(status)) && Array.isArray(activities);
}

function send(ws: WebSocket, frame: Frame): void {
  ws.send(JSON.stringify(frame));
}

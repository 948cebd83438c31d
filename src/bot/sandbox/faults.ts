/** What a REST route answers instead of its own answer. */
export type RestFault =
  | 'hang'
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** How the platform misbehaves, on request. Everything is off at first. */
export class Faults {
  /** `refuse`: the socket is cut at once. `silent`: it is accepted and HELLO never comes. */
  gateway: 'refuse' | 'silent' | undefined;
  /** IDENTIFY is answered by this close code, e.g. 4004 or 4014. */
  closeOnIdentify: number | undefined;
  /** RESUME is answered by INVALID_SESSION, so that the client has to identify anew. */
  forgetsSessions = false;
  /** Heartbeats are not acknowledged. */
  ignoresHeartbeats = false;
  readonly #rest = new Map<string, RestFault>();

  /** Every request of `GET /gateway/bot`, `POST /channels` (by prefix) or `*` is answered so, until `undefined` is set. */
  onRest(route: string, fault: RestFault | undefined): void {
    if (fault === undefined) this.#rest.delete(route);
    else this.#rest.set(route, fault);
  }

  restFault(method: string, path: string): RestFault | undefined {
    for (const [route, fault] of this.#rest) {
      if (route === '*' || `${method} ${path}`.startsWith(route)) return fault;
    }
    return undefined;
  }

  clear(): void {
    this.gateway = this.closeOnIdentify = undefined;
    this.forgetsSessions = this.ignoresHeartbeats = false;
    this.#rest.clear();
  }
}

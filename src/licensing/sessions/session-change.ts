/** What became of a seat. Renewals are none: a seat that is kept is no news. */
export const SESSION_CHANGES = ['OPENED', 'CLOSED', 'EXPIRED', 'REVOKED'] as const;
export type SessionChangeKind = (typeof SESSION_CHANGES)[number];

/** What subscribers are told, by `notify_session_change` in the migrations. */
export interface SessionChange {
  readonly change: SessionChangeKind;
  /** The session's. */
  readonly id: number;
  readonly licenseId: number;
  readonly identifier: string;
  /** ISO 8601. */
  readonly at: string;
}

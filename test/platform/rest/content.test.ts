import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import fc from 'fast-check';
import { pino } from 'pino';
import { byteRangeOf } from '../../../src/platform/rest/byte-range.js';
import { sendContent } from '../../../src/platform/rest/content.js';
import { closeAfterwards } from '../../support/database.js';

const BYTES = 1_000_000;
const half = Buffer.alloc(BYTES / 2);

/** What a file gives, where it says that it has {@link BYTES}. */
const SOURCES: Record<string, () => Readable> = {
  'as it says': () => Readable.from([half, half]),
  'ends early': () => Readable.from([half]),
  'goes on': () => Readable.from([half, half, half]),
  breaks: () =>
    new Readable({
      read() {
        this.destroy(new Error('the disk is broken'));
      },
    }),
};

describe('sendContent', () => {
  let port: number;
  /** What was told about the transfers of a path. */
  const told = new Map<string, string[]>();
  /** Lets those go on that wait for their file. */
  const waiting: (() => void)[] = [];

  beforeAll(async () => {
    const app = express();
    app.get('/:name', async (req, res) => {
      const events: string[] = [];
      const { name } = req.params;
      told.set(name, events);
      const open = async () => {
        if (name === 'waits')
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
          });
        const tell = (event: string) => () => {
          events.push(event);
          return Promise.resolve();
        };
        const source = (SOURCES[name] ?? SOURCES['as it says'])?.() ?? Readable.from([]);
        const { signal } = new AbortController();
        return { source, signal, progress: () => undefined, finish: tell('finish'), fail: tell('fail') };
      };
      await sendContent({ name, bytes: BYTES, etag: 'e', open }, pino({ level: 'silent' }), req, res);
      events.push('end');
    });
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closeAfterwards(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    ({ port } = server.address() as AddressInfo);
  });

  /** Whether the answer came in full. */
  const isWhole = (name: string) =>
    new Promise<boolean>((resolve) => {
      const req = get({ host: '127.0.0.1', port, path: `/${encodeURIComponent(name)}` }, (res) => {
        res
          .on('error', () => undefined)
          .on('close', () => {
            resolve(res.complete);
          });
        res.resume();
      });
      req.on('error', () => {
        resolve(false);
      });
    });

  const ended = async (name: string) => {
    while (told.get(name)?.at(-1) !== 'end') await new Promise((resolve) => setImmediate(resolve));
    return told.get(name);
  };

  it('tells of the end ahead of the last piece', async () => {
    expect([await isWhole('as it says'), await ended('as it says')]).toEqual([true, ['finish', 'end']]);
  });

  it.each(['ends early', 'goes on', 'breaks'])('never looks whole when the file %s', async (name) => {
    expect([await isWhole(name), await ended(name)]).toEqual([false, ['fail', 'end']]);
  });

  it('ends for a client that hangs up while the file is still to be opened', async () => {
    const req = get({ host: '127.0.0.1', port, path: '/waits' }).on('error', () => undefined);
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    req.destroy();
    await new Promise((resolve) => req.once('close', resolve));
    // The server has heard of it once it has answered somebody who came later.
    await isWhole('as it says');
    for (const goOn of waiting.splice(0)) goOn();
    expect(await ended('waits')).toEqual(['fail', 'end']);
  });
});

describe('byteRangeOf', () => {
  it('gives what lies within the file, or says that nothing does', () => {
    const positions = fc.option(fc.nat(30), { nil: '' as const });
    fc.assert(
      fc.property(positions, positions, fc.nat(20), (first, last, bytes) => {
        const range = byteRangeOf(`bytes=${first}-${last}`, bytes);
        const all = Array.from({ length: bytes }, (_, at) => at);
        const isRange = first !== '' ? last === '' || last >= first : last !== '';
        if (!isRange) {
          expect(range).toBeUndefined();
          return;
        }
        const meant =
          first === ''
            ? last === 0
              ? []
              : all.slice(-Number(last))
            : all.slice(first, last === '' ? undefined : last + 1);
        expect(range).toEqual(meant.length === 0 ? 'unsatisfiable' : { start: meant[0], end: meant.at(-1) });
      }),
    );
  });
});

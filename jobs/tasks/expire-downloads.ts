import { expireDownloads } from '../../src/licensing/downloads/download.service.js';
import type { Handler } from '../task.js';

/** Closes links whose time is over, and gives uses back whose transfers ended with their gateway. */
export const expireDownloadsTask: Handler<'expire-downloads'> = async (ctx) => {
  let isFull = true;
  while (isFull) ({ isFull } = await expireDownloads(ctx.em, ctx));
};

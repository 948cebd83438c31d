/** The limit of delivering a file: a bare Node.js server that streams it. No link, use, range, stamp, log or limit. */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream';

const { FILE = '', PORT } = process.env;
const { size } = statSync(FILE);

createServer((_req, res) => {
  res.writeHead(200, { 'Content-Length': size });
  pipeline(createReadStream(FILE), res, () => undefined);
}).listen(Number(PORT), '127.0.0.1', () => console.log('ready'));

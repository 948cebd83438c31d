/** Takes webhooks and remembers when the first and the last of them came. GET tells, and begins anew. */
import { createServer } from 'node:http';

let seen = { count: 0, firstAt: 0, lastAt: 0 };

createServer((req, res) => {
  req.resume();
  req.on('end', () => {
    if (req.method === 'GET') {
      res.end(JSON.stringify(seen));
      if (req.url === '/again') seen = { count: 0, firstAt: 0, lastAt: 0 };
      return;
    }
    seen.lastAt = performance.now();
    if (seen.count++ === 0) seen.firstAt = seen.lastAt;
    res.writeHead(204).end();
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log('ready');
});

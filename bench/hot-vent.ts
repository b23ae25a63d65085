/**
 * npm run bench:hot-vent -- [--seconds 20] [--clients 64] [--port 3290]: one vent that everybody reacts to at
 * once. Fails where the counter is not its rows, was seen below zero, or anything went wrong.
 */
import { parseArgs } from 'node:util';
import { measureHotVent } from './parts/hot-vent.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    clients: { type: 'string', default: '64' },
    port: { type: 'string', default: '3290' },
  },
});
const { text, problems } = await measureHotVent({
  seconds: Math.min(Number(values.seconds), 300),
  clients: Math.min(Number(values.clients), 256),
  port: Number(values.port),
});
console.log(text);
for (const problem of problems) console.error(`FAILED: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

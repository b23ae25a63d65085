/** Prints the first port from which every offset is free. Usage: `node free-ports.ts FIRST STEP OFFSET…` */
import { createServer } from 'node:net';

const [first = 0, step = 10, ...offsets] = process.argv.slice(2).map(Number);

const isFree = (port: number) =>
  new Promise<boolean>((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, () => server.close(() => done(true)));
  });

async function areFree(base: number): Promise<boolean> {
  for (const offset of offsets) if (!(await isFree(base + offset))) return false;
  return true;
}

let base = first;
while (!(await areFree(base))) base += step;
console.log(base);

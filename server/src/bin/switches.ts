import pg from 'pg';
import { readConfig } from '../config.ts';
import { connectionOf } from '../platform/logins.ts';
import { isSwitchName, readOff, switchNames } from '../platform/switches.ts';
import { readOrRefuse } from './refuse.ts';

/** npm run switches: turns a part of the product off for everybody within 5 s, or on again. */
const usage = `npm run switches                  prints all
npm run switches -- off|on NAME   ${switchNames.join(', ')}`;

const config = readOrRefuse(readConfig, process.env);
const pool = new pg.Pool({ ...connectionOf(config, 'jobs'), max: 1, connectionTimeoutMillis: 5000 });

async function run(action = 'list', name = ''): Promise<boolean> {
  if (action !== 'list' && !(['on', 'off'].includes(action) && isSwitchName(name))) return false;
  if (action === 'off')
    await pool.query('insert into public.switches values ($1) on conflict do nothing', [name]);
  if (action === 'on') await pool.query('delete from public.switches where name = $1', [name]);
  const off = await readOff(pool);
  for (const one of switchNames) console.log(`${one.padEnd(13)}${off.includes(one) ? 'off' : 'on'}`);
  return true;
}

try {
  if (!(await run(...process.argv.slice(2)))) {
    console.error(usage);
    process.exitCode = 1;
  }
} finally {
  await pool.end();
}

import type pg from 'pg';
import type { Logger } from './logger.ts';

/** What an operator turns off for a while, in every process, by one command (bin/switches.ts). */
export const switchNames = [
  'writing',
  'sign-up',
  'vents',
  'comments',
  'matches',
  'live',
  // Nothing is written: no call of people or moderators, no job.
  'maintenance',
] as const;
export type SwitchName = (typeof switchNames)[number];
export const isSwitchName = (name: string): name is SwitchName => switchNames.some((one) => one === name);

export type Switches = ReturnType<typeof createSwitches>;

/** In force everywhere within 5 s. */
const everyMs = 2000;

/** A row for each switch that is off. Not in Redis, which may lose it: what was turned off must not come back by itself. */
export const readOff = async (pool: Pick<pg.Pool, 'query'>): Promise<SwitchName[]> => {
  const { rows } = await pool.query<{ name: string }>('select name from public.switches order by name');
  return rows.map(({ name }) => name).filter(isSwitchName);
};

export function createSwitches(pool: pg.Pool, logger: Logger) {
  let off: readonly SwitchName[] = [];
  let timer: NodeJS.Timeout | undefined;
  async function refresh(): Promise<boolean> {
    const found = await readOff(pool).catch(() => null);
    const now = found ?? off;
    if (now.join() !== off.join()) logger.info({ event: 'switches_changed', outcome: now });
    off = now;
    return found !== null;
  }
  function start(): void {
    timer = setTimeout(() => void refresh().finally(() => timer && start()), everyMs).unref();
  }
  return {
    isOff: (name: SwitchName) => off.includes(name),
    /** Reads them now, and whether it could. While the database is away the last known ones stay in force. */
    refresh,
    /** Reads them again and again, until `stop`. */
    start,
    stop(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

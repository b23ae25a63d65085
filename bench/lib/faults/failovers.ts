import { setTimeout as pause } from 'node:timers/promises';
import { nothing, type Fault, type Judgement } from './fault.ts';
import type { Cluster, Node } from './patroni.ts';

/** The lead taken from whoever holds it: by death, by a long sleep, on request. */

const tables = [
  'content.vents',
  'content.vent_stats',
  'content.comments',
  'content.reactions',
  'content.idempotency',
  'identity.sessions',
];

export function failoverFaults(cluster: Cluster): Fault[] {
  let before: Node | null = null;

  async function judge(): Promise<Judgement> {
    await cluster.untilWhole();
    const { name } = await cluster.leader();
    const different = await cluster.differences(tables);
    return {
      bypassed: 0,
      wrong: [
        ...(name === before?.name ? [`${name} leads again`] : []),
        ...different.map((table) => `${table} is not the same on all three`),
      ],
      note: different.length === 0 ? 'the same on all three' : '',
    };
  }

  /** Until somebody else leads. */
  async function taken(): Promise<void> {
    for (;;) {
      const { name } = await cluster.leader();
      if (name !== before?.name) return;
      await pause(200);
    }
  }

  return [
    {
      name: 'leader killed with its Patroni',
      async begin() {
        before = await cluster.leader();
        cluster.killMachine(before);
      },
      async last() {
        await taken();
        await pause(4000);
      },
      end() {
        if (before) cluster.bringBack(before);
      },
      judge,
    },
    {
      name: "leader's Patroni frozen for 36 s",
      async begin() {
        before = await cluster.leader();
        cluster.freeze(before);
      },
      last: () => pause(36_000),
      end() {
        if (before) cluster.thaw(before);
      },
      judge,
    },
    {
      name: 'planned switchover',
      async begin() {
        before = await cluster.leader();
        await cluster.switchOver();
      },
      last: taken,
      end: nothing,
      judge,
    },
  ];
}

import { setTimeout as pause } from 'node:timers/promises';
import { nothing, type Fault, type Judgement } from './fault.ts';
import type { Cluster, Node } from './patroni.ts';

/** Changes of the leader: by a crash, by a frozen Patroni, by a planned switchover. */

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
        ...different.map((table) => `${table} differs between the three`),
      ],
      note: different.length === 0 ? 'identical on all three' : '',
    };
  }

  /** Waits for another leader. */
  async function untilNewLeader(): Promise<void> {
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
        await untilNewLeader();
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
      last: untilNewLeader,
      end: nothing,
      judge,
    },
  ];
}

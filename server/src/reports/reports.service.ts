import { dayMs, type Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../platform/http/bind.ts';
import type { Seals } from '../platform/seals.ts';
import type { VentDoors } from '../vents/vent-doors.service.ts';
import * as queries from './reports.queries.ts';

/** Long enough to be looked at and appealed. */
const keptDays = 90;

export interface ReportsService {
  report(viewer: Viewer, wish: { readonly ventId: string; readonly reason: string }): Promise<void>;
  purgeOld(): Promise<void>;
}

interface ReportsDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly seals: Seals;
  readonly doors: VentDoors;
}

export function createReportsService({ db, clock, seals, doors }: ReportsDeps): ReportsService {
  return {
    async report(viewer, { ventId: sealedId, reason }) {
      await transaction(db.content, async (tx) => {
        const { ventId, authorKey } = await doors.open(sealedId, tx);
        if (authorKey.equals(viewer.authorKey)) throw new AppError('CANNOT_REPORT_OWN');
        await queries.insertReport(tx, {
          ventId,
          reporterKey: seals.reactorKey(viewer.userId, ventId),
          reason,
          createdAt: new Date(clock.now()),
        });
      });
    },
    purgeOld: () => queries.deleteOldReports(db.content, new Date(clock.now() - keptDays * dayMs)),
  };
}

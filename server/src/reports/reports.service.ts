import { addDays, dayInIndia, today, type Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../platform/http/bind.ts';
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
  readonly doors: VentDoors;
}

export function createReportsService({ db, clock, doors }: ReportsDeps): ReportsService {
  return {
    async report({ person }, { ventId: sealedId, reason }) {
      await transaction(db.content, async (tx) => {
        const { ventId, isOwn } = await doors.open(sealedId, person, tx);
        if (isOwn) throw new AppError('CANNOT_REPORT_OWN');
        await queries.insertReport(tx, {
          ventId,
          reporterKey: person.reporterKey(ventId),
          reason,
          reportedOn: dayInIndia(clock.now()),
        });
      });
    },
    purgeOld: () => queries.deleteOldReports(db.content, addDays(today(clock), -keptDays)),
  };
}

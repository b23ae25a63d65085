import type { ParsedRequestOf, reportVent } from '@unsaid/contract';
import { addDays, dayInIndia, today, type Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { VentAccess } from '../vents/vent-access.service.ts';
import * as queries from './reports.queries.ts';

type ReportInput = ParsedRequestOf<typeof reportVent>['body'];

/** Long enough for review and appeal. */
const retentionDays = 90;

export interface ReportsService {
  create(viewer: Viewer, input: ReportInput): Promise<void>;
  deleteOld(): Promise<void>;
}

interface ReportsDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly access: VentAccess;
}

export function createReportsService({ db, clock, access }: ReportsDeps): ReportsService {
  return {
    async create({ person }, { ventId: sealedId, reason }) {
      await transaction(db.content, async (tx) => {
        const { ventId, isOwn } = await access.lockVisible(tx, sealedId, person);
        if (isOwn) throw new AppError('CANNOT_REPORT_OWN');
        await queries.insertReport(tx, {
          ventId,
          reporterKey: person.reporterKey(ventId),
          reason,
          reportedOn: dayInIndia(clock.now()),
        });
      });
    },
    deleteOld: () => queries.deleteOldReports(db.content, addDays(today(clock), -retentionDays)),
  };
}

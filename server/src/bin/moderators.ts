import { parseArgs } from 'node:util';
import { moderatorRoles, type ModeratorRole } from '@unsaid/contract/moderation/console';
import { readConfig } from '../config.ts';
import { depsOrRefuse, readOrRefuse } from './refuse.ts';
import {
  addModerator,
  countActive,
  disableModerator,
  listModerators,
  renewEnrolment,
  StaffError,
} from '../moderation/index.ts';

/** npm run moderators: adds and disables moderators, and makes the links with which they register a passkey. */

const usage = `npm run moderators -- add <alias> --role moderator|lead|auditor
npm run moderators -- enrol <alias> [--replace]   a new link; --replace deletes the old passkeys first
npm run moderators -- disable <alias>
npm run moderators -- list`;

// With the rights of the console, whatever the process beside it serves.
const config = readOrRefuse(readConfig, { ...process.env, SERVICES: 'mod' });
const deps = await depsOrRefuse(config);
const ctx = { ...deps, db: deps.databases.moderation };

function printLink(alias: string, token: string): void {
  const link = new URL(`/enrol#${token}`, config.modOrigin ?? undefined);
  console.log(`Send this link to ${alias}, over a channel that only they read.`);
  console.log(`It works once, within 48 hours:\n\n  ${link.href}\n`);
}

function readRole(role: string | undefined): ModeratorRole {
  const known = moderatorRoles.find((name) => name === role);
  if (!known) throw new StaffError(`--role must be one of ${moderatorRoles.join(', ')}`);
  return known;
}

async function run(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { role: { type: 'string' }, replace: { type: 'boolean', default: false } },
  });
  const [command, alias = ''] = positionals;
  if ((command === 'add' || command === 'enrol') && !config.modOrigin)
    throw new StaffError('MOD_ORIGIN is required: links begin with it');
  switch (command) {
    case 'add':
      printLink(alias, await addModerator(ctx, alias, readRole(values.role)));
      break;
    case 'enrol':
      printLink(alias, await renewEnrolment(ctx, alias, { isReplacing: values.replace }));
      break;
    case 'disable':
      await disableModerator(ctx, alias);
      console.log(`${alias} is disabled, and signed out everywhere.`);
      break;
    case 'list':
      for (const line of await listModerators(ctx.db)) {
        const { isDisabled, passkeys, enrolUntil } = line;
        const state = isDisabled
          ? 'disabled'
          : `${passkeys} ${passkeys === 1 ? 'passkey' : 'passkeys'}${enrolUntil ? `, link until ${enrolUntil.toISOString()}` : ''}`;
        console.log(`${line.alias}  ${line.role}  ${state}`);
      }
      break;
    case undefined:
    default:
      throw new StaffError(usage);
  }
  const active = await countActive(ctx.db);
  if (active < 2) {
    console.warn(
      `Warning: ${active} active ${active === 1 ? 'moderator' : 'moderators'} with a passkey. ` +
        'Appeals need two: nobody may decide an appeal of their own decision.',
    );
  }
}

try {
  await run();
} catch (error) {
  if (
    !(error instanceof StaffError) &&
    (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') !== true
  )
    throw error;
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  await deps.close();
}

import { readConfig } from '../config.ts';
import { buildFeatures } from '../features.ts';
import { AppError } from '../platform/errors.ts';
import { depsOrRefuse, readOrRefuse } from './refuse.ts';

/**
 * npm run team: gives an account a name that contains "unsaid", which nobody can choose. By it people recognise answers of
 * the team. It ends when the account takes another name.
 */
const usage =
  'npm run team -- +919876543210 [unsaid_asha]   the number of an account; by default unsaid_team';

const config = readOrRefuse(readConfig, process.env);
const deps = await depsOrRefuse(config);

const problems: Readonly<Record<string, string>> = {
  INVALID_PHONE: 'this is not a mobile number',
  COUNTRY_NOT_SUPPORTED: 'numbers of this country cannot sign in',
  USERNAME_INVALID: 'the name must contain "unsaid" and have 1 to 20 letters, digits or underscores',
  USERNAME_TAKEN: 'another account has this name, or had it within 30 days',
};

/** Null: done. */
async function run(number: string | undefined, name = 'unsaid_team'): Promise<string | null> {
  if (number === undefined) return usage;
  const { nameTeam } = await buildFeatures(deps);
  try {
    if (!(await nameTeam(number, name))) return 'no account has this number: sign up with it first';
  } catch (error) {
    const problem = error instanceof AppError ? problems[error.code] : undefined;
    if (problem === undefined) throw error;
    return problem;
  }
  console.log(`The account is now ${name}, with the mark of the team beside its name.`);
  return null;
}

try {
  const problem = await run(...(process.argv.slice(2) as [string?, string?]));
  if (problem !== null) {
    console.error(problem);
    process.exitCode = 1;
  }
} finally {
  await deps.close();
}

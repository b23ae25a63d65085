/** Index of the group to type back. Random, so that copying the first one alone is not enough. */
export function pickGroup(groups: readonly string[]): number {
  return Math.floor(Math.random() * groups.length);
}

/** As the server reads a code from paper: case and spaces do not count, O is 0, I and L are 1. */
function normalize(typed: string): string {
  return typed.toUpperCase().replaceAll(/[\s-]/gu, '').replaceAll('O', '0').replaceAll(/[IL]/gu, '1');
}

export function isSameGroup(typed: string, group: string): boolean {
  return normalize(typed) === normalize(group);
}

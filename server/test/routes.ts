import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../src/config.ts';
import { startTestApp, type TestApp } from './app.ts';

/** A minimal build of the web application, so that tests do not need a real build. */
export async function makeWebRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'unsaid-web-'));
  await mkdir(join(root, 'assets'));
  const page = '<!doctype html><title>Unsaid</title>';
  await writeFile(join(root, 'index.html'), page);
  await writeFile(join(root, 'index.html.br'), brotliCompressSync(page));
  await writeFile(join(root, 'assets', 'index-abc.js'), 'export {};');
  await writeFile(join(root, 'sw.js'), '// worker');
  await writeFile(join(root, 'sw.js.br'), brotliCompressSync('// worker'));
  return root;
}

/** Starts an app and records every route that the framework registers, as `METHOD /path`. */
export async function startCountedApp(
  overrides: Partial<Config> = {},
): Promise<{ app: TestApp; routes: ReadonlySet<string> }> {
  const routes = new Set<string>();
  const watch = (message: unknown): void => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url }) => {
      for (const name of [method].flat()) routes.add(`${name} ${url}`);
    });
  };
  subscribe('fastify.initialization', watch);
  try {
    return { app: await startTestApp(overrides), routes };
  } finally {
    unsubscribe('fastify.initialization', watch);
  }
}

import type { FastifyInstance } from 'fastify';
import type { Outbox } from '../../platform/sms/outbox.ts';

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Development only: a page that lists sent codes. */
export function registerDevOutbox(app: FastifyInstance, outbox: Outbox): void {
  app.get('/dev/outbox', async (request, reply) => {
    const entries = outbox.recent();
    if (request.headers.accept?.includes('text/html') !== true) return reply.send(entries);
    const rows = entries.map(
      ({ at, to, code }) => `<tr><td>${escape(at)}<td>${escape(to)}<td><strong>${escape(code)}</strong>`,
    );
    return reply
      .type('text/html; charset=utf-8')
      .send(
        `<!doctype html><html lang="en"><meta charset="utf-8"><title>Outbox</title><h1>Codes, newest first</h1>` +
          `<table>${rows.join('') || '<tr><td>No code has been sent yet.'}</table>`,
      );
  });
}

/** A CPU profile of V8 as a flame graph: width is time on the CPU, what a function calls is below it. */

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface Frame {
  readonly name: string;
  /** The npm package, `server` for our own code, or `node`. */
  readonly from: string;
  /** Microseconds, with its callees. */
  total: number;
  self: number;
  readonly callees: Map<string, Frame>;
}

function originOf(url: string): string {
  const [, nested] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(url) ?? [];
  if (nested) return nested;
  if (/\/(?:server|contract)\/src\//u.test(url)) return 'server';
  return 'node';
}

/** The tree of calls, without the time in which nothing ran. Equal functions of one caller are one frame. */
export function readFrames({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const self = new Map<number, number>();
  for (const [index, id] of samples.entries())
    self.set(id, (self.get(id) ?? 0) + Math.max(0, timeDeltas[index] ?? 0));
  const newFrame = (name: string, from: string): Frame => ({
    name,
    from,
    total: 0,
    self: 0,
    callees: new Map(),
  });
  function add(frame: Frame, node: ProfileNode): number {
    const own = self.get(node.id) ?? 0;
    frame.self += own;
    let total = own;
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (!child || child.callFrame.functionName === '(idle)') continue;
      const name = child.callFrame.functionName || '(anonymous)';
      const from = originOf(child.callFrame.url);
      const key = `${from} ${name}`;
      const callee = frame.callees.get(key) ?? newFrame(name, from);
      frame.callees.set(key, callee);
      total += add(callee, child);
    }
    frame.total += total;
    return total;
  }
  const root = newFrame('all', 'node');
  const [first] = nodes;
  if (first) add(root, first);
  return root;
}

function sharesBy(root: Frame, nameOf: (frame: Frame) => string): [name: string, share: number][] {
  const sums = new Map<string, number>();
  const visit = (frame: Frame) => {
    const name = nameOf(frame);
    sums.set(name, (sums.get(name) ?? 0) + frame.self);
    for (const callee of frame.callees.values()) visit(callee);
  };
  visit(root);
  return [...sums]
    .map(([name, sum]): [string, number] => [name, sum / root.total])
    .toSorted((a, b) => b[1] - a[1]);
}

/** Shares of the time in their own code, largest first. */
export const sharesByOrigin = (root: Frame) =>
  sharesBy(root, ({ name, from }) => (name.startsWith('(') && from === 'node' ? name : from));
export const sharesByFunction = (root: Frame) => sharesBy(root, ({ name, from }) => `${name}, ${from}`);

const width = 1200;
const rowHeight = 17;
const colours: Readonly<Record<string, string>> = { server: '#8FD3CB', node: '#E4DED4' };
const otherColour = '#F2C9A1';
const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export function renderFlameGraph(root: Frame, title: string): string {
  const boxes: string[] = [];
  let deepest = 0;
  function draw(frame: Frame, x: number, depth: number): void {
    const length = (width * frame.total) / root.total;
    if (length < 1) return;
    deepest = Math.max(deepest, depth);
    const shown = Math.floor(length / 6.2);
    const label = shown < 4 ? '' : frame.name.slice(0, shown);
    const about = `${frame.name} (${frame.from}), ${((100 * frame.total) / root.total).toFixed(1)} %`;
    boxes.push(
      `<g transform="translate(${x.toFixed(1)} ${depth * rowHeight + 34})"><title>${escape(about)}</title><rect width="${(length - 0.5).toFixed(1)}" height="${rowHeight - 1}" fill="${colours[frame.from] ?? otherColour}"/>${label && `<text x="2" y="12">${escape(label)}</text>`}</g>`,
    );
    let at = x;
    for (const callee of [...frame.callees.values()].toSorted((a, b) => b.total - a.total)) {
      draw(callee, at, depth + 1);
      at += (width * callee.total) / root.total;
    }
  }
  draw(root, 0, 0);
  const height = (deepest + 1) * rowHeight + 44;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t" font-family="system-ui, sans-serif" font-size="11" fill="#1E1B16">
<title id="t">${escape(title)}</title>
<rect width="${width}" height="${height}" fill="#FFFDF9"/>
<text x="6" y="20" font-size="13">${escape(title)}</text>
${boxes.join('\n')}
</svg>
`;
}

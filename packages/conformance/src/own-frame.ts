import { workFolder } from '@pawl/base/project-folder'

const root = `${workFolder()}/`

/** The first stack line inside the integration or a handler, as `file:line` below the checkout or the project. */
export function ownFrameIn(stack: string): string | undefined {
  for (const [, path = ''] of stack.matchAll(/(?:file:\/\/)?(\/[^()\s]+?:\d+):\d+/g)) {
    const below = path.startsWith(root) ? path.slice(root.length).replace(/\?[^:]*/, '') : undefined
    if (below !== undefined && !isOfPawl(below)) return below
  }
  return undefined
}

function isOfPawl(path: string): boolean {
  return /^(node_modules|src(?!\/integration)|packages\/[^/]+\/src)\//.test(path)
}

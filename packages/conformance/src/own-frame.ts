import { projectFolder, workFolder } from '@pawl/base/project-folder'

/** The first stack line inside the integration or a handler, as `file:line` below the checkout or the project. */
export function ownFrameIn(stack: string, project = projectFolder()): string | undefined {
  const root = `${project ?? workFolder()}/`
  for (const [, path = ''] of stack.matchAll(/(?:file:\/\/)?(\/[^()\s]+?:\d+):\d+/g)) {
    const below = path.startsWith(root) ? path.slice(root.length).replace(/\?[^:]*/, '') : undefined
    if (below !== undefined && !(project === undefined ? ofCheckout : ofProject).test(below)) return below
  }
  return undefined
}

/** The paths of pawl and of other packages. */
const ofProject = /^node_modules\//
const ofCheckout = /^(node_modules|src(?!\/integration)|packages\/[^/]+\/src)\//

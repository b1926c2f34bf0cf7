import { basename, join } from 'node:path'
import { ownPackage } from '@pawl/base/own-package'
import { projectFolder } from '@pawl/base/project-folder'

/** What the development environment runs. */
export interface Sources {
  /** The checkout or the project, with a slash at its end. */
  root: string
  /** Folders whose changes restart the gateway. */
  folders: readonly string[]
  /** Node's arguments that run the gateway in `root`. */
  gateway: readonly string[]
  /** The compiler's arguments for a check; in a project it also writes what the gateway runs. */
  compiler: readonly string[]
  /** Whether the gateway runs what the compiler wrote. */
  isCompiled: boolean
}

/** The project around the working folder, or the checkout of this code. */
export function findSources(): Sources {
  const project = projectFolder()
  if (project === undefined) return sourcesOfCheckout(`${ownPackage().folder}/`)
  return {
    root: `${project}/`,
    folders: ['src'],
    gateway: ['--enable-source-maps', join(ownPackage().folder, 'dist/src/main.js')],
    compiler: ['--sourceMap'],
    isCompiled: true,
  }
}

/** Those of a checkout of pawl; `root` ends with a slash. */
export function sourcesOfCheckout(root: string): Sources {
  return {
    root,
    folders: ['src', 'templates'],
    gateway: ['--conditions=source', '--import', 'tsx', 'src/main.ts'],
    compiler: ['--noEmit', '--project', 'tsconfig.build.json'],
    isCompiled: false,
  }
}

/** Whether type errors of a file are shown: of the integration and the templates in a checkout, of all in a project. */
export function isOwn(path: string, { isCompiled }: Pick<Sources, 'isCompiled'>): boolean {
  if (basename(path).endsWith('.test.ts')) return false
  return isCompiled || /^(src\/integration|templates)\//.test(path)
}

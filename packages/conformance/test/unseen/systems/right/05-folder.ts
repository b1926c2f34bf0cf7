import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineHandler, PawlError, type PriorAuthorization } from '../../../../../../src/index.ts'
import type { System } from '../../../../../../src/connector.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { contentOf, integrationOf, type OwnSystem } from '../integration-of.ts'

export interface Folder {
  putFile(priorAuthorization: PriorAuthorization): Promise<void>
}

/** The share is away. */
export class FolderAway extends PawlError {
  readonly code = 'folder_away'
  override readonly retry = 'backoff'
  override readonly isOutage = true
}

/** One file for each PA, never half of it. */
export const folderAt = (path: string): System<Folder> => ({
  open: (run) => ({
    async putFile(priorAuthorization) {
      const { answered } = run.beginRequest('write file')
      run.signal.throwIfAborted()
      run.assertMayAct()
      const [part, file] = [`${run.resourceId}.part`, `${run.resourceId}.json`] as const
      try {
        await writeFile(join(path, part), JSON.stringify(contentOf(priorAuthorization)))
        await rename(join(path, part), join(path, file))
      } catch (cause) {
        throw new FolderAway(`The file of ${run.resourceId} was not written.`, { cause })
      }
      answered()
      run.wrote({ type: 'File', id: file })
    },
  }),
})

export const folder: OwnSystem = {
  name: 'folder',
  setting: 'DROP_FOLDER',
  systemAt: folderAt,
  handlers: [
    defineHandler({
      name: 'file-to-folder',
      on: ['prior_authorization.status_change'],
      // The compiler cannot see which systems the integration lists.
      handle: (context) => (listedSystem(context, 'folder') as Folder).putFile(context.resource),
    }),
  ],
}

/** Odd: no requests at all. */
export const integration = integrationOf(folder)

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { System } from '../../../../../../src/connector.ts'
import { contentOf, integrationOf } from '../integration-of.ts'
import { type Folder, folder } from '../right/05-folder.ts'

const folderAt = (path: string): System<Folder> => ({
  open: (run) => ({
    async putFile(priorAuthorization) {
      const { answered } = run.beginRequest('write file')
      const name = `${priorAuthorization.id}-${Date.now()}.json`
      await writeFile(join(path, name), JSON.stringify(contentOf(priorAuthorization)))
      answered()
      run.wrote({ type: 'File', id: name })
    },
  }),
})

/** Wrong: names the file by the time, so that each run drops another one. */
export const integration = integrationOf({ ...folder, systemAt: folderAt })

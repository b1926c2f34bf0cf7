import type { BodyStore, BodyStoreSettings } from './body-store.ts'

/** The store of these settings; nothing is asked of it yet. The client of S3 is loaded for those alone who use it. */
export async function openBodyStore(settings: BodyStoreSettings): Promise<BodyStore> {
  if (settings.kind === 'folder') {
    const { createFolderStore } = await import('./folder-store.ts')
    return createFolderStore(settings.path)
  }
  const { createS3Store } = await import('./s3-store.ts')
  return createS3Store(settings)
}

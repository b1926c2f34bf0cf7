import { createAssets } from '../pages/assets.ts'
import { style } from '../pages/style.ts'
import { script } from './script.ts'

/** What the pages of the console load. */
export const assets = createAssets({ at: '/assets', style, script })

"""The part of the W&B GraphQL interface that the double offers, as one table of types.

What: types, inputs and enums; @needs(FEATURE) marks what servers without that feature lack.
Why: the double refuses what is not in this table, so the table is the contract of the client.
What it does not do: it is not the service's own schema, which is not public; it holds what
clients need. Where README.md is silent (the names of the types, of the payloads, and
that a mutation's field is its operation's name in lower camel case with one argument `input`) it
follows the names that public clients use.
"""

FEATURES = (
    "ARTIFACT_TAGS", "PROJECT_ARTIFACT_COLLECTION_MEMBERSHIP",
    "ARTIFACT_COLLECTION_MEMBERSHIP_FILES", "USE_ARTIFACT_WITH_ENTITY_AND_PROJECT_INFORMATION",
    "ARTIFACT_V2_DOWNLOAD_HANDLER_SUPPORTS_ARTIFACT_ID",
)

TYPES = """
# reading
type Query {
    viewer: User
    serverInfo: ServerInfo
    project(name: String, entityName: String): Project
    artifact(id: ID!): Artifact
}
type User { id: ID  entity: String  username: String  email: String  teams: EntityConnection }
type EntityConnection { edges: [EntityEdge] }
type EntityEdge { node: Entity }
type Entity { id: ID  name: String }
type ServerInfo { features: [ServerFeature] }
type ServerFeature { name: String  isEnabled: Boolean }
type PageInfo { endCursor: String  hasNextPage: Boolean }

type Project {
    id: ID  name: String  entityName: String  entity: Entity
    run(name: String!): Run
    artifact(name: String!): Artifact
    artifactCollection(name: String!): ArtifactCollection
    artifactCollectionMembership(name: String!): ArtifactCollectionMembership
        @needs(PROJECT_ARTIFACT_COLLECTION_MEMBERSHIP)
}
type Run {
    id: ID  name: String  displayName: String  description: String  state: String
    config: JSONString  summaryMetrics: JSONString  tags: [String]  notes: String
    commit: String  group: String  host: String  jobType: String  sweepName: String
    createdAt: DateTime  updatedAt: DateTime  historyLineCount: Int
    user: User  project: Project
    outputArtifacts(after: String, first: Int): ArtifactConnection
    inputArtifacts(after: String, first: Int): ArtifactConnection
    files(names: [String], after: String, first: Int, pattern: String): FileConnection
}
union ArtifactCreator = Run
type ArtifactConnection { edges: [ArtifactEdge]  pageInfo: PageInfo  totalCount: Int }
type ArtifactEdge { node: Artifact  cursor: String }
type Artifact {
    id: ID  versionIndex: Int  state: ArtifactState  digest: String  commitHash: String
    size: Int64  fileCount: Int  createdAt: DateTime  updatedAt: DateTime
    description: String  metadata: JSONString
    ttlDurationSeconds: Int64  historyStep: Int64
    artifactType: ArtifactType  artifactSequence: ArtifactSequence
    aliases: [ArtifactAlias]  tags: [Tag] @needs(ARTIFACT_TAGS)
    createdBy: ArtifactCreator  currentManifest: ArtifactManifest
    files(names: [String], after: String, first: Int): FileConnection
}
type ArtifactType { id: ID  name: String }
type ArtifactSequence { id: ID  name: String  project: Project  latestArtifact: Artifact }
type ArtifactAlias { id: ID  alias: String  artifactCollection: ArtifactCollection }
type ArtifactCollection {
    id: ID  name: String  project: Project
    artifactMembership(aliasName: String!): ArtifactCollectionMembership
}
type ArtifactCollectionMembership {
    id: ID  versionIndex: Int  aliases: [ArtifactAlias]
    artifact: Artifact  artifactCollection: ArtifactCollection
    files(names: [String], after: String, first: Int): FileConnection
        @needs(ARTIFACT_COLLECTION_MEMBERSHIP_FILES)
}
type ArtifactManifest { id: ID  digest: String  file: File }
type Tag { id: ID  name: String }
type FileConnection { edges: [FileEdge]  pageInfo: PageInfo }
type FileEdge { node: File  cursor: String }
type File {
    id: ID  name: String  displayName: String
    url(upload: Boolean): String  directUrl: String
    sizeBytes: Int64  md5: String  mimetype: String  storagePath: String
    uploadUrl: String  uploadHeaders: [String]  uploadMultipartUrls: UploadMultipartUrls
    artifact: Artifact
}
type UploadMultipartUrls { uploadID: String  uploadUrlParts: [UploadUrlPart] }
type UploadUrlPart { partNumber: Int64  uploadUrl: String }

enum ArtifactState { PENDING COMMITTED DELETED }
enum ArtifactDigestAlgorithm { MANIFEST_MD5 }
enum ArtifactManifestType { FULL INCREMENTAL PATCH }
enum ArtifactStorageLayout { V1 V2 }
enum AlertSeverity { INFO WARN ERROR }

# writing
type Mutation {
    upsertBucket(input: UpsertBucketInput!): UpsertBucketPayload
    createArtifact(input: CreateArtifactInput!): CreateArtifactPayload
    createArtifactManifest(input: CreateArtifactManifestInput!): CreateArtifactManifestPayload
    createArtifactFiles(input: CreateArtifactFilesInput!): CreateArtifactFilesPayload
    commitArtifact(input: CommitArtifactInput!): ArtifactPayload
    useArtifact(input: UseArtifactInput!): ArtifactPayload
    updateArtifact(input: UpdateArtifactInput!): ArtifactPayload
    addAliases(input: AddAliasesInput!): SuccessPayload
    deleteAliases(input: DeleteAliasesInput!): SuccessPayload
    notifyScriptableRunAlert(input: NotifyScriptableRunAlertInput!): SuccessPayload
    createRunFiles(input: CreateRunFilesInput!): CreateRunFilesPayload
    markRunFilesUploaded(input: MarkRunFilesUploadedInput!): SuccessPayload
}
# 4.1, 4.10, 4.11
input UpsertBucketInput {
    id: String  name: String  modelName: String  entityName: String  groupName: String
    description: String  displayName: String  notes: String  config: JSONString
    commit: String  host: String  debug: Boolean  jobProgram: String  jobRepo: String
    jobType: String  state: String  sweep: String  tags: [String!]  summaryMetrics: JSONString
}
type UpsertBucketPayload { bucket: Run  inserted: Boolean }
# 4.2
input CreateArtifactInput {
    entityName: String!  projectName: String!
    artifactTypeName: String!  artifactCollectionName: String!
    runName: String  digest: String!  digestAlgorithm: ArtifactDigestAlgorithm!
    aliases: [ArtifactAliasInput!]  metadata: JSONString  description: String
    tags: [TagInput!] @needs(ARTIFACT_TAGS)
    ttlDurationSeconds: Int64  historyStep: Int64  enableDigestDeduplication: Boolean
    clientID: ID  sequenceClientID: ID
}
input ArtifactAliasInput { artifactCollectionName: String!  alias: String! }
input TagInput { tagName: String! }
type CreateArtifactPayload { artifact: Artifact }
# 4.3
input CreateArtifactManifestInput {
    artifactID: ID!  baseArtifactID: ID  name: String!  digest: String!
    entityName: String!  projectName: String!  runName: String!  type: ArtifactManifestType
}
type CreateArtifactManifestPayload { artifactManifest: ArtifactManifest }
# 4.4
input CreateArtifactFilesInput {
    artifactFiles: [CreateArtifactFileSpecInput!]!  storageLayout: ArtifactStorageLayout
}
input CreateArtifactFileSpecInput {
    artifactID: ID!  artifactManifestID: ID  name: String!  md5: String!  mimetype: String
}
type CreateArtifactFilesPayload { files: FileConnection }
# 4.7, 4.8, 4.9
input CommitArtifactInput { artifactID: ID! }
input UseArtifactInput {
    artifactID: ID!  entityName: String!  projectName: String!  runName: String!  usedAs: String
    artifactEntityName: String @needs(USE_ARTIFACT_WITH_ENTITY_AND_PROJECT_INFORMATION)
    artifactProjectName: String @needs(USE_ARTIFACT_WITH_ENTITY_AND_PROJECT_INFORMATION)
}
input UpdateArtifactInput {
    artifactID: ID!  metadata: JSONString  description: String  ttlDurationSeconds: Int64
    tagsToAdd: [TagInput!] @needs(ARTIFACT_TAGS)  tagsToDelete: [TagInput!] @needs(ARTIFACT_TAGS)
    aliases: [ArtifactAliasInput!]
}
type ArtifactPayload { artifact: Artifact }
input AddAliasesInput { artifactID: ID!  aliases: [ArtifactCollectionAliasInput!]! }
input DeleteAliasesInput { artifactID: ID!  aliases: [ArtifactCollectionAliasInput!]! }
input ArtifactCollectionAliasInput {
    alias: String!  artifactCollectionName: String!  entityName: String  projectName: String
}
type SuccessPayload { success: Boolean }
# 4.12
input NotifyScriptableRunAlertInput {
    entityName: String!  projectName: String!  runName: String!  title: String!  text: String!
    severity: AlertSeverity  waitDuration: Duration
}
# 4.14
input CreateRunFilesInput {
    entityName: String!  projectName: String!  runName: String!  files: [String!]!
}
type CreateRunFilesPayload { runID: ID  uploadHeaders: [String]  files: [File] }
input MarkRunFilesUploadedInput {
    entityName: String!  projectName: String!  runName: String!  files: [String!]!
}
"""

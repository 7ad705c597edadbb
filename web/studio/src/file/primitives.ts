/** The primitives of a file in the order of its vertices in Pelt: skinned meshes by node, then those without a skin. */
export interface Primitive {
  mesh: number;
  primitive: any;
  vertices: number;
  skinned: boolean;
}

export function primitivesOf(json: any): Primitive[] {
  const nodes: any[] = json.nodes ?? [];
  const inScene = reachable(json);
  const listed = (skinned: boolean) =>
    nodes.flatMap((node, index) => {
      if (node.mesh === undefined || (node.skin !== undefined) !== skinned) return [];
      if (!skinned && !inScene.has(index)) return [];
      return (json.meshes?.[node.mesh]?.primitives ?? []).map((primitive: any): Primitive => ({
        mesh: node.mesh,
        primitive,
        vertices: json.accessors?.[primitive.attributes?.POSITION]?.count ?? 0,
        skinned,
      }));
    });
  return [...listed(true), ...listed(false)];
}

function reachable(json: any): Set<number> {
  const found = new Set<number>();
  const scenes: any[] = json.scenes ?? [];
  const roots: number[] = scenes[json.scene ?? 0]?.nodes ?? [...(json.nodes ?? []).keys()];
  const open = [...roots];
  while (open.length > 0) {
    const node = open.pop()!;
    if (found.has(node)) continue;
    found.add(node);
    open.push(...(json.nodes?.[node]?.children ?? []));
  }
  return found;
}

/// A source with connections of its own, or the emitter of one.
protocol WiredSource {
  var wired: (list: ConnectionList, type: Any.Type) { get }
}

extension Signal: WiredSource {
  var wired: (list: ConnectionList, type: Any.Type) { (list, Self.self) }
}

extension Emitter: WiredSource {
  var wired: (list: ConnectionList, type: Any.Type) { core.signal.wired }
}

/// Finds the signals of objects, and what is connected to them, for a ``Wiring``.
struct WiringSurvey {
  private(set) var nodes: [Wiring.Node] = []
  private(set) var edges: [Wiring.Edge] = []
  private(set) var owners: [String] = []
  /// The lists that have a node; the survey holds them, so that no other has their identity.
  private(set) var lists: [(list: ConnectionList, node: Int)] = []
  private var nodesOfLists: [ObjectIdentifier: Int] = [:]
  /// How many owners have each type.
  private var numbers: [String: Int] = [:]
  /// The owners that are objects, by identity.
  private var objects: [ObjectIdentifier: Int] = [:]
  /// The nodes of slots and endpoints, by what tells them apart.
  private var nodesOfSlots: [String: Int] = [:]
  private var edgesByText: [String: Int] = [:]

  // MARK: - Objects

  mutating func add(_ object: Any) {
    if find(object, name: nil, owner: nil) { return }
    let mirror = Mirror(reflecting: object)
    if mirror.displayStyle == .optional {
      if let some = mirror.children.first { add(some.value) }
      return
    }
    let key = Swift.type(of: object) is AnyClass ? ObjectIdentifier(object as AnyObject) : nil
    if let key, objects[key] != nil { return }
    let type = "\(Swift.type(of: object))"
    let number = numbers[type, default: 0] + 1
    numbers[type] = number
    owners.append(number == 1 ? type : "\(type) \(number)")
    if let key { objects[key] = owners.count - 1 }
    reflect(mirror, path: "", owner: owners.count - 1, depth: 0)
  }

  /// Adds a node if `value` is a source, and returns whether it is.
  private mutating func find(_ value: Any, name: String?, owner: Int?) -> Bool {
    if let source = value as? any Wiring.Endpoint {
      let end = node(.endpoint, source.endpoint, key: "endpoint \(source.endpoint)")
      guard let wired = (source.endpointSignal as? any WiredSource)?.wired else { return true }
      let signal = node(of: wired.list, .signal, name, wired.type, owner)
      add(Wiring.Edge(from: end, to: signal, operators: [], slots: nil))
      return true
    }
    guard let wired = (value as? any WiredSource)?.wired else { return false }
    _ = node(of: wired.list, .signal, name, wired.type, owner)
    return true
  }

  /// Values may lie in each other without end, such as in a list of indirect cases.
  private static let depthLimit = 100

  private mutating func reflect(_ mirror: Mirror, path: String, owner: Int, depth: Int) {
    if depth > Self.depthLimit { return }
    if let base = mirror.superclassMirror {
      reflect(base, path: path, owner: owner, depth: depth + 1)
    }
    for (index, child) in mirror.children.enumerated() {
      if mirror.displayStyle == .dictionary {
        let pair = Mirror(reflecting: child.value).children.map(\.value)
        // A mirror of the user's own may say that it is a dictionary, and have other children.
        if pair.count == 2 {
          add(pair[1], "\(path)[\(pair[0])]", owner, depth)
          continue
        }
      }
      let label = child.label.map { Self.name($0) }
      let name =
        switch mirror.displayStyle {
        case .optional, .enum: path
        case .collection, .set: "\(path)[\(index)]"
        default: path.isEmpty ? label ?? "\(index)" : "\(path).\(label ?? "\(index)")"
        }
      add(child.value, name, owner, depth)
    }
  }

  /// The name of a property whose storage has this label, or of the element of a tuple.
  private static func name(_ label: String) -> String {
    for prefix in ["$__lazy_storage_$_", "_", "."] where label.hasPrefix(prefix) {
      return String(label.dropFirst(prefix.count))
    }
    return label
  }

  /// Adds a source, or what is in a value.
  private mutating func add(_ value: Any, _ name: String, _ owner: Int, _ depth: Int) {
    if find(value, name: name, owner: owner) { return }
    let inner = Mirror(reflecting: value)
    switch inner.displayStyle {
    // An object of its own is given, or is not part of the picture.
    case .class, .foreignReference, nil: return
    default: reflect(inner, path: name, owner: owner, depth: depth + 1)
    }
  }

  // MARK: - Connections

  mutating func follow() {
    var index = 0
    // Following finds more.
    while index < lists.count {
      let (list, node) = lists[index]
      _ = list.live { add($0, from: node) }
      index += 1
    }
  }

  private mutating func add(_ connection: SignalObserver, from node: Int) {
    let origin = connection.origin
    var operators: [String] = []
    var stage = origin.stage
    while let each = stage {
      if let list = each.list {
        let end =
          if let signal = each.signal {
            self.node(of: list, .signal, nil, signal, nil)
          } else {
            self.node(of: list, .operator, each.name, nil, nil)
          }
        if each.signal != nil { operators.append(each.name) }
        return add(Wiring.Edge(from: node, to: end, operators: operators, slots: nil))
      }
      if let endpoint = each.endpoint {
        let end = self.node(.endpoint, endpoint, key: "endpoint \(endpoint)")
        return add(Wiring.Edge(from: node, to: end, operators: operators, slots: nil))
      }
      operators.append(each.name)
      stage = each.next
    }
    let data = Wiring.Connection(connection)
    let slots = Wiring.SlotGroup(data)
    let end = self.node(of: connection, data, slots.location)
    add(Wiring.Edge(from: node, to: end, operators: operators, slots: slots))
  }

  /// The node of a slot: the given object that is its target, or the type of that, or the closure.
  private mutating func node(
    of connection: SignalObserver, _ data: Wiring.Connection, _ location: String
  ) -> Int {
    guard let type = data.targetType else {
      return node(.closure, "closure\n\(location)", key: "closure \(location)")
    }
    if let target = connection.target, let owner = objects[ObjectIdentifier(target)] {
      return node(.target, owners[owner], key: "object \(owner)", owner)
    }
    return node(.target, "\(type)", key: "target \(type)")
  }

  // MARK: - Nodes and edges

  private mutating func node(
    of list: ConnectionList, _ kind: Wiring.Node.Kind, _ name: String?, _ type: Any.Type?,
    _ owner: Int?
  ) -> Int {
    let text = type.map { "\($0)" }
    let node = Wiring.Node(
      kind: kind, name: name ?? text ?? "", type: name == nil ? nil : text, owner: owner)
    if let known = nodesOfLists[ObjectIdentifier(list)] {
      // It was given without the object that has it.
      if owner != nil, nodes[known].owner == nil { nodes[known] = node }
      return known
    }
    nodes.append(node)
    nodesOfLists[ObjectIdentifier(list)] = nodes.count - 1
    lists.append((list, nodes.count - 1))
    return nodes.count - 1
  }

  private mutating func node(
    _ kind: Wiring.Node.Kind, _ name: String, key: String, _ owner: Int? = nil
  ) -> Int {
    if let known = nodesOfSlots[key] { return known }
    nodes.append(Wiring.Node(kind: kind, name: name, type: nil, owner: owner))
    nodesOfSlots[key] = nodes.count - 1
    return nodes.count - 1
  }

  private mutating func add(_ edge: Wiring.Edge) {
    let key = "\(edge.from) \(edge.to) \(edge.text) \(edge.slots?.location ?? "")"
    // The parts of an operator are told apart by their sources alone, and so may be doubled.
    guard let known = edgesByText[key], let slots = edge.slots else {
      edgesByText[key] = edges.count
      edges.append(edge)
      return
    }
    edges[known].slots?.count += 1
    edges[known].slots?.suspended += slots.suspended
    edges[known].slots?.pending += slots.pending
    edges[known].slots?.dropped += slots.dropped
  }
}

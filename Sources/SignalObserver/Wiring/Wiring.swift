/// A picture of what is connected to what, as it is when the picture is made.
///
/// ```swift
/// print(Wiring(of: game, board))
/// // Game
/// //   scored: Signal<Int>
/// //     → filter → Board, main, Wirings/Wirings.swift:19
/// // Board
/// ```
///
/// It begins with the signals of the given objects, which it finds by reflection of their
/// properties: emitters, values, signals and replays, even inside tuples, structures, optionals,
/// arrays and dictionaries, up to 100 levels deep. An object may also be a signal itself. From
/// there it follows operators, bindings and bonds to other signals and to slots. A slot is shown as
/// the object that it belongs to if that object is given, and else as the type of its target.
/// Connections that differ in nothing are shown once, with their number.
///
/// The picture consists of text. It holds nothing of what it shows, and does not change. To draw
/// it, take ``mermaid`` or ``dot``.
///
/// > Important: The properties of the given objects are read on the calling thread. Give objects
/// > that the caller may use, and no others.
public struct Wiring: Sendable {
  /// Something that payloads come from or are delivered to.
  struct Node: Sendable {
    enum Kind: Sendable {
      case signal
      case `operator`
      case target
      case closure
      case endpoint
    }

    let kind: Kind
    var name: String
    /// The type of a signal.
    let type: String?
    /// The index of the object that has the signal as a property, or that is the target.
    let owner: Int?
  }

  struct Edge: Sendable {
    var from: Int
    var to: Int
    var operators: [String]
    var slots: SlotGroup?
    /// Whether payloads pass in both directions.
    var isBond = false

    var text: [String] { operators + (slots.map { [$0.place] } ?? []) }
  }

  /// The slots at the end of an edge that differ in nothing but what is counted.
  struct SlotGroup: Sendable {
    let place: String
    let location: String
    var count = 1
    var suspended: Int
    var pending: Int
    var dropped: Int
  }

  var nodes: [Node] = []
  var edges: [Edge] = []
  var owners: [String] = []

  /// Makes a picture that begins with the signals of `objects`.
  ///
  /// No lock is held while objects are reflected and targets are looked at. A target that dies
  /// meanwhile may be released by this call.
  ///
  /// - Parameter objects: The objects whose properties are read, or signals.
  /// - Complexity: O(*n*) in the number of properties and connections.
  public init(of objects: Any...) {
    var survey = WiringSurvey()
    for object in objects { survey.add(object) }
    survey.follow()
    (nodes, edges, owners) = (survey.nodes, survey.edges, survey.owners)
    joinOperators()
    joinBonds()
    numberNames()
  }

  // MARK: - Simplifying

  /// Makes an operator that has one source and one slot the label of one edge.
  private mutating func joinOperators() {
    let before = Dictionary(grouping: edges.indices) { edges[$0].to }
    let after = Dictionary(grouping: edges.indices) { edges[$0].from }
    var removed: Set<Int> = []
    // Each edge that was joined to another one, with that one.
    var joins: [Int: Int] = [:]
    for (index, node) in nodes.enumerated() where node.kind == .operator && node.owner == nil {
      guard let into = before[index], let out = after[index], into.count == 1, out.count == 1
      else { continue }
      var first = into[0]
      while let other = joins[first] { first = other }
      if edges[first].from == index { continue }
      let joined = edges[out[0]]
      edges[first].to = joined.to
      edges[first].operators += [node.name] + joined.operators
      edges[first].slots = joined.slots
      joins[out[0]] = first
      removed.insert(index)
    }
    edges = edges.indices.filter { joins[$0] == nil }.map { edges[$0] }
    remove(removed)
  }

  /// Makes one edge of the two directions of a bond.
  private mutating func joinBonds() {
    // The first sides whose second side has not been found, by their nodes.
    var open: [[Int]: [Int]] = [:]
    var second: Set<Int> = []
    for (index, edge) in edges.enumerated() where edge.operators == ["bond"] {
      if let first = open[[edge.to, edge.from]]?.first {
        open[[edge.to, edge.from]]?.removeFirst()
        edges[first].isBond = true
        second.insert(index)
      } else {
        open[[edge.from, edge.to], default: []].append(index)
      }
    }
    edges = edges.indices.filter { !second.contains($0) }.map { edges[$0] }
  }

  private mutating func remove(_ removed: Set<Int>) {
    // No edge refers to a node that is removed.
    let kept = nodes.indices.filter { !removed.contains($0) }
    var new = Array(nodes.indices)
    for (index, old) in kept.enumerated() { new[old] = index }
    nodes = kept.map { nodes[$0] }
    for index in edges.indices {
      (edges[index].from, edges[index].to) = (new[edges[index].from], new[edges[index].to])
    }
  }

  /// Numbers the operators, and the signals without an owner, that have the same name.
  private mutating func numberNames() {
    func isShared(_ node: Node) -> Bool {
      (node.kind == .operator || node.kind == .signal) && node.owner == nil
    }
    let groups = Dictionary(grouping: nodes.indices.filter { isShared(nodes[$0]) }) {
      nodes[$0].name
    }
    for (name, indices) in groups where indices.count > 1 {
      for (number, index) in indices.enumerated() { nodes[index].name = "\(name) \(number + 1)" }
    }
  }
}

// MARK: - Text

extension Wiring: CustomStringConvertible {
  /// The signals by their objects, with a line for each connection.
  ///
  ///     Form
  ///       name: SignalValue<String>
  ///         → combineLatest
  ///       password: SignalValue<String>
  ///         → combineLatest
  ///     combineLatest
  ///         → map → Label, main, Forms/Form.swift:21
  ///
  /// A bond is shown at its first side, with `⇄`.
  public var description: String {
    let edges = Dictionary(grouping: edges, by: \.from)
    func slots(of node: Int) -> [String] { text(of: edges[node, default: []]) }
    let owned = nodesByOwner
    var lines: [String] = []
    for (index, owner) in owners.enumerated() {
      lines.append(owner)
      for number in owned[index, default: []] where nodes[number].kind == .signal {
        let node = nodes[number]
        lines.append("  " + [node.name, node.type].compactMap { $0 }.joined(separator: ": "))
        lines += slots(of: number)
      }
    }
    for number in owned[nil, default: []] {
      let slots = slots(of: number)
      if nodes[number].kind == .signal || !slots.isEmpty { lines += [nodes[number].name] + slots }
    }
    return lines.joined(separator: "\n")
  }

  private var nodesByOwner: [Int?: [Int]] {
    Dictionary(grouping: nodes.indices) { nodes[$0].owner }
  }

  private func text(of edges: [Edge]) -> [String] {
    edges.map { edge in
      let ways = (edge.operators + [reference(to: edge.to)]).joined(separator: " → ")
      return "    \(edge.isBond ? "⇄" : "→") "
        + ([ways] + (edge.slots?.details ?? [])).joined(separator: ", ")
    }
  }

  /// The name of a node, in a place where its owner is not obvious.
  private func reference(to index: Int) -> String {
    let node = nodes[index]
    if node.kind == .closure { return "closure" }
    guard node.kind == .signal || node.kind == .operator, let owner = node.owner else {
      return node.name
    }
    return "\(owners[owner]).\(node.name)"
  }
}

extension Wiring.SlotGroup {
  init(_ slot: Wiring.Connection) {
    self.init(
      place: slot.placeText, location: "\(slot.fileID):\(slot.line)",
      suspended: slot.isSuspended ? 1 : 0, pending: slot.pendingCount, dropped: slot.droppedCount)
  }

  fileprivate var counts: [String] {
    [
      count > 1 ? "×\(count)" : nil,
      suspended > 0 ? (count > 1 ? "\(suspended) suspended" : "suspended") : nil,
      pending > 0 ? "\(pending) pending" : nil,
      dropped > 0 ? "\(dropped) dropped" : nil,
    ].compactMap { $0 }
  }

  var details: [String] { [place] + counts + [location] }
}

// MARK: - Pictures

extension Wiring {
  /// The picture as a flow chart of Mermaid.
  ///
  /// Objects are frames, signals are rounded, operators are hexagons, and slots are boxes.
  public var mermaid: String {
    draw(
      begin: ["flowchart LR"], end: [],
      frame: { ["  subgraph o\($0)[\(Self.mermaid($1))]"] + $2.map { "  " + $0 } + ["  end"] },
      node: { number, node in
        let text = Self.mermaid(node.name)
        let shape =
          switch node.kind {
          case .signal: "([\(text)])"
          case .operator: "{{\(text)}}"
          case .target, .closure: "[\(text)]"
          case .endpoint: "[(\(text))]"
          }
        return "  n\(number)\(shape)"
      },
      edge: { edge, text in
        let arrow = edge.isBond ? "<-->" : "-->"
        let label = text.isEmpty ? "" : "|\(Self.mermaid(text))|"
        return "  n\(edge.from) \(arrow)\(label) n\(edge.to)"
      })
  }

  /// The picture as a graph of Graphviz, in its language DOT.
  public var dot: String {
    draw(
      begin: ["digraph wiring {", "  rankdir=LR;", "  node [shape=box];"], end: ["}"],
      frame: {
        ["  subgraph cluster_\($0) {", "    label=\(Self.dot($1));"] + $2.map { "  " + $0 }
          + ["  }"]
      },
      node: { number, node in
        let shape =
          switch node.kind {
          case .signal: ", shape=ellipse"
          case .operator: ", shape=hexagon"
          case .target, .closure: ""
          case .endpoint: ", shape=cylinder"
          }
        return "  n\(number) [label=\(Self.dot(node.name))\(shape)];"
      },
      edge: { edge, text in
        let attributes =
          [
            text.isEmpty ? nil : "label=\(Self.dot(text))",
            edge.isBond ? "dir=both" : nil,
          ].compactMap { $0 }.joined(separator: ", ")
        let list = attributes.isEmpty ? "" : " [\(attributes)]"
        return "  n\(edge.from) -> n\(edge.to)\(list);"
      })
  }

  private func draw(
    begin: [String], end: [String], frame: (Int, String, [String]) -> [String],
    node: (Int, Node) -> String, edge: (Edge, String) -> String
  ) -> String {
    var lines = begin
    var framed: Set<Int> = []
    let owned = nodesByOwner
    for (index, owner) in owners.enumerated() {
      let own = owned[index, default: []]
      // A target without signals needs no frame.
      guard own.contains(where: { nodes[$0].kind == .signal }) else { continue }
      lines += frame(index, owner, own.map { node($0, nodes[$0]) })
      framed.formUnion(own)
    }
    lines += nodes.indices.filter { !framed.contains($0) }.map { node($0, nodes[$0]) }
    lines += edges.map { each in
      let ways = each.operators.joined(separator: " → ")
      let details = each.slots.map { [$0.place] + $0.counts } ?? []
      return edge(each, ([ways] + details).filter { !$0.isEmpty }.joined(separator: ", "))
    }
    return (lines + end).joined(separator: "\n")
  }

  private static func mermaid(_ text: String) -> String {
    "\"" + text.map { escapes[$0] ?? String($0) }.joined() + "\""
  }

  private static let escapes: [Character: String] = [
    "\"": "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;", "\n": "<br>",
  ]

  private static let dotEscapes: [Character: String] = ["\"": "\\\"", "\\": "\\\\", "\n": "\\n"]

  private static func dot(_ text: String) -> String {
    "\"" + text.map { dotEscapes[$0] ?? String($0) }.joined() + "\""
  }
}

/// The cities that the played service knows.
enum DomesticAirlineCities {
    /// In the order of the service's columns: English name, Chinese name, code.
    static let rows = [
        ["Beijing", "北京", "BJS"], ["bijie", "毕节", "BFJ"], ["Changsha", "长沙", "CSX"], ["Chengdu", "成都", "CTU"],
        ["CHIAYI", "嘉义", "CYI"], ["Chongqing", "重庆", "CKG"], ["dali", "大理", "DLU"], ["Dali", "大理市", "DLU"],
        ["Dalian", "大连", "DLC"], ["E'erduosi", "鄂尔多斯", "DSN"], ["Fuzhou", "福州", "FOC"], ["Guangzhou", "广州", "CAN"],
        ["Guilin", "桂林", "KWL"], ["Guiyang", "贵阳", "KWE"], ["Haerbin", "哈尔滨", "HRB"], ["Haikou", "海口", "HAK"],
        ["Hangzhou", "杭州", "HGH"], ["Hong Kong", "香港", "HKG"], ["Huai'an", "淮安", "HIA"], ["Jinan", "济南", "TNA"],
        ["Kunming", "昆明", "KMG"], ["Lasa", "拉萨", "LXA"], ["Nanjing", "南京", "NKG"], ["Nanning", "南宁", "NNG"],
        ["Ningbo", "宁波", "NGB"], ["Qingdao", "青岛", "TAO"], ["Sanya", "三亚", "SYX"], ["Shanghai", "上海", "SHA"],
        ["Shenyang", "沈阳", "SHE"], ["Shenzhen", "深圳", "SZX"], ["Taiyuan", "太原", "TYN"], ["Tianjin", "天津", "TSN"],
        ["Wuhan", "武汉", "WUH"], ["Wulumuqi", "乌鲁木齐", "URC"], ["Xiamen", "厦门", "XMN"], ["Xi'an", "西安", "SIA"],
        ["Yichun", "宜春", "YIC"], ["Yichun", "伊春", "LDS"], ["Zhengzhou", "郑州", "CGO"], ["Zhuhai", "珠海", "ZUH"],
        ["Zunyi", "遵义", "ZYI"],
    ]
}
